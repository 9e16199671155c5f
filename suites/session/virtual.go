package session

import (
	"context"
	"errors"
)

// openVirtual builds the virtual nodes and opens the virtual lane's lab.
func (s *Session) openVirtual(ctx, life context.Context) (laboratory, error) {
	return nil, errors.New("to come")
}
