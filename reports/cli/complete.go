package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/cli/listing"
)

// completeRuns offers runs below out and files, because runs may be anywhere.
func completeRuns(_ *cobra.Command, given []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	files, _ := filepath.Glob(filepath.Join("out", "*", runs.RunFile)) // the pattern is valid
	var folders []cobra.Completion
	for _, file := range files {
		if folder := filepath.Dir(file); strings.HasPrefix(folder, begun) && !slices.Contains(given, folder) {
			folders = append(folders, folder)
		}
	}
	return folders, cobra.ShellCompDirectiveDefault
}

func (a App) completeTrials(_ *cobra.Command, given []string, begun string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	var trials []cobra.Completion
	for _, t := range a.Catalogue() {
		if strings.HasPrefix(t.ID, begun) && !slices.Contains(given, t.ID) {
			trials = append(trials, cobra.CompletionWithDesc(t.ID, t.About))
		}
	}
	return trials, cobra.ShellCompDirectiveNoFileComp
}

func (a App) completeLabels(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var labels []cobra.Completion
	for _, t := range a.Catalogue() {
		for _, label := range append([]string{t.Area()}, t.Labels...) {
			if strings.HasPrefix(label, begun) && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return labels, cobra.ShellCompDirectiveNoFileComp
}

func subjectWords(begun string) []cobra.Completion {
	version, _, mutated := strings.Cut(begun, "+")
	if !mutated {
		words := formula.Known()
		for _, v := range formula.Known() {
			if kubelets.InVirtualLane(v) {
				words = append(words, string(runs.VirtualLane)+":"+v)
			}
		}
		return words
	}
	var words []cobra.Completion
	for _, m := range mutation.All() {
		if name := version + "+" + m.Name; listing.Possible(name) {
			words = append(words, cobra.CompletionWithDesc(name, m.Breaks))
		}
	}
	return words
}

func mutationWords(string) []cobra.Completion {
	var words []cobra.Completion
	for _, m := range mutation.All() {
		words = append(words, cobra.CompletionWithDesc(m.Name, m.Breaks))
	}
	return words
}
