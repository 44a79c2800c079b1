package live

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"unsafe"

	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/sim"
)

// What System.Crash keeps of a dead node stands for storage that is not Env.Store. The
// end of a process would not keep it. So where a node has a folder, what a crash would
// leave of it is written there after each step, before others see what the step did: it
// survives the process, and, since it is not synced, not the machine.

const remainsName = "remains"

// keepRemains writes what a crash would leave now. What cannot be written by its fields
// is said once.
func (n *Node) keepRemains() {
	sys := n.host.sys
	if sys.Crash == nil || n.disk == nil || n.unkept || n.ownCodec == nil {
		return
	}
	var left sim.Node
	err := guard.Call("Crash", func() { left = sys.Crash(n.host.params, n.m.self, n.m.node) })
	var data []byte
	if err == nil {
		data, err = n.ownCodec.Append(make([]byte, 4), sight.Subject(left))
	}
	if err == nil {
		sum := crc32.ChecksumIEEE(data[4:])
		data[0], data[1], data[2], data[3] = byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)
		name := filepath.Join(n.disk.dir, remainsName)
		if err = os.WriteFile(name+".new", data, 0o600); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		n.unkept = true
		n.config.Log.Warn("what System.Crash keeps is lost with the process", "node", n.name(n.at), "why", err.Error())
		_ = os.Remove(filepath.Join(n.disk.dir, remainsName))
	}
}

// remains is the node that begins its next life with what the last has left; nil:
// there is nothing.
func (n *Node) remains() sim.Node {
	if n.host.sys.Crash == nil || n.disk == nil || n.ownCodec == nil {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(n.disk.dir, remainsName))
	if err != nil || len(data) < 4 {
		return nil
	}
	sum := crc32.ChecksumIEEE(data[4:])
	if [4]byte(data[:4]) != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return nil
	}
	v, err := n.ownCodec.Decode(data[4:])
	if err != nil {
		n.config.Log.Warn("what the last life left cannot be read", "node", n.name(n.at), "why", err.Error())
		return nil
	}
	fresh := n.m.node
	subject := sight.Subject(fresh)
	if reflect.TypeOf(v) != reflect.TypeOf(subject) || reflect.TypeOf(v).Kind() != reflect.Pointer {
		return nil
	}
	into, from := reflect.ValueOf(subject).Elem(), reflect.ValueOf(v).Elem()
	if into.Kind() == reflect.Struct { // what is no state is as New made it
		for i := range into.NumField() {
			if f := into.Type().Field(i); f.Tag.Get("mc") == "-" {
				at := func(v reflect.Value) reflect.Value {
					return reflect.NewAt(f.Type, unsafe.Add(v.Addr().UnsafePointer(), f.Offset)).Elem()
				}
				at(from).Set(at(into))
			}
		}
	}
	into.Set(from)
	return fresh
}
