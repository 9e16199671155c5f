package images

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// at returns the repository of the victim's image at a place.
func at(place string) (name.Repository, error) {
	r, err := name.NewRepository(strings.TrimSuffix(place, "/")+"/"+Fault, name.StrictValidation)
	if err != nil {
		return r, fmt.Errorf("it must be a registry and a path, such as registry.example/podclock: %w", err)
	}
	return r, nil
}

// ValidPlace returns what is wrong with a place in a registry.
func ValidPlace(place string) error {
	_, err := at(place)
	return err
}

// Push writes all images to a place, with the credentials that docker or podman stored. insecure
// allows plain HTTP, and certificates that nobody signed.
func (s *Set) Push(ctx context.Context, place string, insecure bool) error {
	options := []name.Option{name.StrictValidation}
	transport := remote.DefaultTransport
	if insecure {
		options = append(options, name.Insecure)
		unverified := remote.DefaultTransport.(*http.Transport).Clone()
		unverified.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // the user asked for it
		transport = unverified
	}
	todo := map[name.Reference]remote.Taggable{}
	for image, index := range s.indexes {
		ref, err := name.NewTag(s.tagged(place, image), options...)
		if err != nil {
			return fmt.Errorf("name image %s at %s: %w", image, place, err)
		}
		todo[ref] = index
	}
	err := remote.MultiWrite(todo, remote.WithContext(ctx), remote.WithTransport(transport),
		remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent("podclock"))
	if err != nil {
		return fmt.Errorf("push to %s: %w; `docker login` stores credentials that podclock uses, and --insecure "+
			"allows plain HTTP and self-signed certificates", place, err)
	}
	return nil
}

// PullSecret returns the content of a pull secret (kubernetes.io/dockerconfigjson) with the credentials that docker or
// podman stored for the registry of a place, and no others.
func PullSecret(ctx context.Context, place string) ([]byte, error) {
	r, err := at(place)
	if err != nil {
		return nil, err
	}
	registry := r.RegistryStr()
	stored, err := authn.Resolve(ctx, authn.DefaultKeychain, r)
	if err != nil {
		return nil, fmt.Errorf("read the credentials of registry %s: %w", registry, err)
	}
	credentials, err := authn.Authorization(ctx, stored)
	if err != nil {
		return nil, fmt.Errorf("read the credentials of registry %s: %w", registry, err)
	}
	if credentials.Username == "" || credentials.Password == "" {
		// pkg/credentialprovider/config.go, DockerConfigEntry: a kubelet reads no token.
		return nil, fmt.Errorf("docker has no user and password for registry %s: `docker login %s` stores them, and "+
			"DOCKER_CONFIG names another folder with a config.json", registry, registry)
	}
	only := authn.AuthConfig{Username: credentials.Username, Password: credentials.Password}
	return json.Marshal(map[string]map[string]authn.AuthConfig{"auths": {registry: only}})
}
