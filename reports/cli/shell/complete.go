package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Complete completes the values of a flag.
func Complete(command *cobra.Command, flag string, candidates cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, candidates); err != nil {
		// unreachable
		panic(fmt.Sprintf("podclock %s --%s: %v", command.Name(), flag, err))
	}
}

// CompleteWords offers some words.
func CompleteWords(command *cobra.Command, flag string, words ...string) {
	Complete(command, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFolders offers folders.
func CompleteFolders(command *cobra.Command, flag string) {
	Complete(command, flag, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
}

// CompleteFiles offers files with some extensions.
func CompleteFiles(command *cobra.Command, flag string, extensions ...string) {
	Complete(command, flag, cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt))
}

// CompleteList completes the last of several comma-separated words. It offers no word twice.
func CompleteList(words func(begun string) []cobra.Completion) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		comma := strings.LastIndex(begun, ",") + 1
		before, last := begun[:comma], begun[comma:]
		if strings.HasPrefix(last, ".") || strings.HasPrefix(last, "/") {
			return nil, cobra.ShellCompDirectiveDefault // a path
		}
		named := strings.Split(before, ",")
		var whole []cobra.Completion
		for _, word := range words(last) {
			bare, _, _ := strings.Cut(word, "\t")
			if strings.HasPrefix(bare, last) && !slices.Contains(named, bare) {
				whole = append(whole, before+word)
			}
		}
		return whole, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}
