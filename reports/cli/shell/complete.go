package shell

import (
	"fmt"

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
