package command

import (
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/manners"
)

// TestManners prints how soon walks of several manners find the bugs of the catalogue.
func TestManners(t *testing.T) { manners.Table(t, catalog.Bugs()) }
