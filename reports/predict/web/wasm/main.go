//go:build js && wasm

// The program of the web page. It gives the page one function, podclock, from a question to an answer, both in JSON.
package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/podclock/podclock/reports/predict/web/answer"
)

func main() {
	debug.SetGCPercent(400) // fewer collections, more memory
	js.Global().Set("podclock", js.FuncOf(func(_ js.Value, args []js.Value) any { return answered(args[0].String()) }))
	select {}
}

// answered never panics: a panic would end the program until the page is opened again.
func answered(question string) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = written(answer.Answer{Problems: []string{fmt.Sprintf("podclock failed: %v. Please report it", r)}})
		}
	}()
	var q answer.Question
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		return written(answer.Answer{Problems: []string{"the question cannot be read: " + err.Error()}})
	}
	return written(answer.To(q))
}

func written(a answer.Answer) string {
	text, err := json.Marshal(a)
	if err != nil {
		return `{"problems": ["the answer cannot be written"]}`
	}
	return string(text)
}
