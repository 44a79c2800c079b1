package live

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"time"
	"unsafe"

	"macemc/internal/disk"
	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/sim"
)

// System.Crash returns what a dead node keeps, for services whose storage is not Env.Store. The
// end of a real process would lose it. So if a node has a folder, the node that System.Crash
// would return is written there after each step, before the step's effects are visible to
// others. It survives the end of the process. It is not synced, so it may not survive the end
// of the machine.

const remainsName = "remains"

// keeper writes the stable storage of a node to the files in its folder. If Config.Dir is "", there is no
// folder, the keeper does nothing, and the storage is only in the memory of this process.
type keeper struct {
	*place
	m      *machine
	packer *packer
	disk   *storage // nil if there is no folder
	unkept bool     // the result of System.Crash could not be written, so nothing of this life is kept any more
}

func (k *keeper) stored(w disk.Write) error {
	if k.disk != nil {
		k.disk.put(w)
	}
	return nil
}

func (k *keeper) synced(string, bool) error {
	if k.disk == nil {
		return nil
	}
	began := time.Now()
	err := k.disk.sync()
	k.host.metrics.fsync.Observe(time.Since(began).Seconds())
	return err
}

// stepped ends a step: it writes the data that the step has stored, and the node that System.Crash would leave,
// to the files, before the effects of the step are visible to others. last encodes the step, for the next life
// of the node.
func (k *keeper) stepped(last func() []byte) error {
	if k.disk != nil {
		if err := k.disk.flush(); err != nil {
			return err
		}
	}
	k.keepRemains(last)
	return nil
}

// tidies rewrites the journal of the storage if it has grown too large.
func (k *keeper) tidies() {
	if k.disk == nil {
		return
	}
	if err := k.disk.grown(k.m.disk); err != nil {
		k.config.Log.Warn("the journal could not be written anew", "node", k.name(k.at), "why", err.Error())
	}
}

// close closes the folder. If killed is set, it leaves the files as the end of the process would leave
// them.
func (k *keeper) close(killed bool) error {
	switch {
	case k.disk == nil:
		return nil
	case killed:
		_ = k.disk.file.Close()
		return nil
	default:
		return k.disk.close()
	}
}

// keepRemains writes to a file the node that System.Crash would leave if the node crashed after this step. If
// this node cannot be written, for example because its type cannot be encoded by its fields, keepRemains logs
// that, and keeps no such node for the rest of this life.
func (k *keeper) keepRemains(last func() []byte) {
	sys := k.host.sys
	if sys.Crash == nil || k.disk == nil || k.unkept || k.packer.own == nil {
		return
	}
	var left sim.Node
	err := guard.Call("Crash", func() { left = sys.Crash(k.host.params, k.m.self, k.m.node) })
	var data []byte
	if err == nil {
		step := last()
		data = append(binary.AppendUvarint(make([]byte, 4), uint64(len(step))), step...)
		data, err = k.packer.own.Append(data, sight.Subject(left))
	}
	if err == nil {
		sum := crc32.ChecksumIEEE(data[4:])
		data[0], data[1], data[2], data[3] = byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)
		name := filepath.Join(k.disk.dir, remainsName)
		if err = os.WriteFile(name+".new", data, 0o600); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		k.unkept = true
		k.config.Log.Warn("what System.Crash keeps is lost with the process", "node", k.name(k.at), "why", err.Error())
		_ = os.Remove(filepath.Join(k.disk.dir, remainsName))
	}
}

// remains reads what keepRemains wrote last in the previous life: the node that System.Crash made, and the
// step after which it was made. It returns nil if there is none.
func (k *keeper) remains() (node sim.Node, last []byte) {
	if k.host.sys.Crash == nil || k.disk == nil || k.packer.own == nil {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(k.disk.dir, remainsName))
	if err != nil || len(data) < 4 {
		return nil, nil
	}
	sum := crc32.ChecksumIEEE(data[4:])
	if [4]byte(data[:4]) != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return nil, nil
	}
	size, n := binary.Uvarint(data[4:])
	if data = data[4+max(n, 0):]; n <= 0 || size > uint64(len(data)) {
		return nil, nil
	}
	last = data[:size]
	v, err := k.packer.own.Decode(data[size:])
	if err != nil {
		k.config.Log.Warn("what the last life left cannot be read", "node", k.name(k.at), "why", err.Error())
		return nil, nil
	}
	fresh := k.m.node
	subject := sight.Subject(fresh)
	if reflect.TypeOf(v) != reflect.TypeOf(subject) || reflect.TypeOf(v).Kind() != reflect.Pointer {
		return nil, nil
	}
	into, from := reflect.ValueOf(subject).Elem(), reflect.ValueOf(v).Elem()
	if into.Kind() == reflect.Struct { // fields that are no state keep the values that New gave them
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
	return fresh, last
}
