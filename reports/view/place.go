package view

// Place returns the index of a key's element in a list. It appends the element if the key is new.
func Place[K comparable, T any](places map[K]int, key K, list *[]T, element T) int {
	at, known := places[key]
	if !known {
		at = len(*list)
		places[key] = at
		*list = append(*list, element)
	}
	return at
}
