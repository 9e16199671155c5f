// Package apis is the room of what programs read: published types, each with a JSON schema.
package apis
