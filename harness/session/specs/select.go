package specs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/suites"
)

// Select asks Ginkgo which of the specs it would run, before anything is started. The error is one line
// with the remedy.
func (s *Suite) Select(suite types.SuiteConfig, reporter types.ReporterConfig) ([]stage.Selection, error) {
	if err := check(suite); err != nil {
		return nil, err
	}
	catalogue := suites.Index()
	s.selected = nil
	for _, spec := range PreviewSpecs(name, suite, reporter).SpecReports {
		if found, ok := catalogue[spec.LeafNodeText]; ok && spec.State.Is(types.SpecStatePassed) {
			s.selected = append(s.selected, stage.Selection{Trial: found, Subject: spec.ContainerHierarchyTexts[0]})
		}
	}
	if len(s.selected) == 0 {
		return nil, fmt.Errorf(
			"no trial of the profile %s is selected by focus %q, skip %q, label filter %q; a dry run without them lists what there is, and the profile full holds all %d",
			s.config.Profile,
			strings.Join(suite.FocusStrings, "|"),
			strings.Join(suite.SkipStrings, "|"),
			suite.LabelFilter,
			len(catalogue),
		)
	}
	return s.selected, nil
}

// check refuses what Ginkgo would panic or exit of, and what would run a trial more than once or not at all.
func check(suite types.SuiteConfig) error {
	if suite.ParallelTotal > 1 {
		return errors.New("all trials run at once in one process: call ginkgo without -p and --procs")
	}
	for _, expression := range slices.Concat(suite.FocusStrings, suite.SkipStrings) {
		if _, err := regexp.Compile(expression); err != nil {
			return fmt.Errorf("focus and skip are regular expressions: %w", err)
		}
	}
	if _, err := types.ParseLabelFilter(suite.LabelFilter); err != nil { // whose own words are a coloured page
		return fmt.Errorf(
			"the label filter %q can't be read: write labels and !, &&, ||, parentheses between them, such as 'probes && !http'",
			suite.LabelFilter,
		)
	}
	return nil
}
