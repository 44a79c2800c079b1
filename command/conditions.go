package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macemc/internal/contract"
	"macemc/internal/setting"
	"macemc/sim"
)

// conditionFlags are the flags for the conditions of runs (faults, network,
// timers, disk), as the user typed them.
type conditionFlags struct {
	properties                []string
	net, faults, timers, disk string
	byzantine, crashes        string
	faultsSet                 bool
}

// These are the values of --timers and --disk.
const (
	wordFree, wordOrdered   = "free", "ordered"
	wordPrefix, wordReorder = "prefix", "reorder"
)

// add declares the flags on cmd. Each help text begins with of, which is "" or names the argument
// to which the flag applies. For example, mdb passes "SYSTEM: ".
func (f *conditionFlags) add(cmd *cobra.Command, of string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.properties, "property", nil, of+"check only the property `NAME` (repeatable)")
	flags.StringVar(&f.net, "net", "", of+"set the network, `tcp-buffer=20,udp-capacity=4,slow=n0-n1`: the capacity of a TCP buffer and of a UDP\nchannel, in messages, and links whose messages are delivered only when nothing else can happen")
	flags.StringVar(&f.faults, "faults", "", of+"how often each fault may happen in a run, `crash=1,loss=2,...`: a number or all; or none for no\nfaults (default what the system declares that it tolerates). The faults are "+strings.Join(contract.FaultNames(), ", "))
	flags.StringVar(&f.timers, "timers", "", of+"`free`: timers may fire in any order; ordered: only in an order that the system's clocks allow (the default)")
	flags.StringVar(&f.disk, "disk", "", of+"which of the writes that were not synced survive a crash: the first few (prefix, the default), or\nany of them (`reorder`)")
	flags.StringVar(&f.crashes, "crash", "", of+"how nodes fail: between their steps (explicit, the default); also in the middle of a step (`within`);\nor implicit: a failed node takes no more steps, and no step of the run records the failure")
	flags.StringVar(&f.byzantine, "byzantine", "", of+"nodes that break the protocol, `twins@n1,lies=2@n3`: n1 runs twice under one address, and n3 makes up\ntwo messages; or none (default those that the system declares)")
}

// check returns an error if --timers, --disk or --crash has an unknown value.
func (f *conditionFlags) check(cmd *cobra.Command) error {
	f.faultsSet = cmd.Flags().Changed("faults")
	for _, one := range []struct {
		name, value string
		words       []string
	}{{"timers", f.timers, []string{wordFree, wordOrdered}}, {"disk", f.disk, []string{wordPrefix, wordReorder}}, {"crash", f.crashes, setting.CrashModels}} {
		if cmd.Flags().Changed(one.name) && !slices.Contains(one.words, one.value) {
			return usagef("--%s is %q; it must be %s%s", one.name, one.value, strings.Join(one.words, " or "), suggest(one.value, one.words))
		}
	}
	return nil
}

// read returns the conditions that the flags describe.
func (f *conditionFlags) read() (c sim.Conditions, err error) {
	c.Properties, c.FreeTimers, c.DiskReorder = f.properties, f.timers == wordFree, f.disk == wordReorder
	c.Byzantine = f.byzantine
	if c.CrashWithin, c.CrashImplicit, err = setting.ParseCrashModel(f.crashes); err != nil {
		return c, err
	}
	if f.faultsSet {
		faults, err := parseFaults(f.faults)
		if err != nil {
			return c, fmt.Errorf("--faults: %w", err)
		}
		c.Faults = &faults
	}
	if c.Network, err = setting.ParseNetwork(f.net); err != nil {
		return c, fmt.Errorf("--net: %w", err)
	}
	return c, nil
}

// clocked returns an error if --timers is ordered and the timers of the system
// are free.
func (f *conditionFlags) clocked(sys *sim.System, params sim.Params) error {
	if f.timers != wordOrdered {
		return nil
	}
	clock, err := sys.Pace(params)
	if err == nil && clock == nil {
		err = fmt.Errorf("--timers ordered: %s does not set System.Clock, so its timers are free; leave --timers out", sys.Name)
	}
	return err
}
