package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"macemc/internal/disk"
	"macemc/sim"
)

// storage is the stable storage of a node: a folder with a journal, which has all writes in order. When it is
// opened, the writes in the journal are carried out again. The last write may be incomplete, which its
// checksum shows: the part that exists is carried out if it is an append or an overwrite, and else it is
// dropped. A journal that has grown is replaced by a shorter one with the same effect.
type storage struct {
	dir   string
	file  *os.File
	size  int64 // the size of the journal
	base  int64 // its size after it was last rewritten
	buf   []byte
	fault func(op string) error // for tests: returns an error for an operation; nil otherwise
}

const (
	journalName  = "journal"
	journalMagic = "macemc store 1\n"
	lifeName     = "life"
	writeMost    = 64 << 20
	rewriteAt    = 4 << 20
)

// openStorage opens a node's folder. It returns the contents of the storage, and the number of the life that
// begins.
func openStorage(dir string) (s *storage, d *contents, life int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, 0, err
	}
	s = &storage{dir: dir}
	if life, err = s.nextLife(); err != nil {
		return nil, nil, 0, err
	}
	name := filepath.Join(dir, journalName)
	if s.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, nil, 0, err
	}
	if d, err = s.recover(); err != nil {
		return nil, nil, 0, errors.Join(fmt.Errorf("%s: %w", name, err), s.file.Close())
	}
	return s, d, life, syncDir(dir)
}

// nextLife returns the number of the life that begins, and stores that it has begun. The first life has
// number 0.
func (s *storage) nextLife() (int, error) {
	name := filepath.Join(s.dir, lifeName)
	life := 0
	switch b, err := os.ReadFile(name); {
	case err == nil:
		if _, err := fmt.Sscanf(string(b), "%d", &life); err != nil {
			return 0, fmt.Errorf("%s contains %q; it must contain the number of a life of the node", name, b)
		}
		life++
	case !errors.Is(err, os.ErrNotExist):
		return 0, err
	}
	return life, replaceFile(name, []byte(fmt.Sprintf("%d\n", life)))
}

// replaceFile replaces the contents of a file by data, durably. If the process or the machine ends meanwhile,
// the file has either the old contents or the new ones.
func replaceFile(name string, data []byte) error {
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// A write is encoded as: its kind, the length of the name, the length of the data or the size, and a checksum
// of these; the name and the data; a checksum of those. The offset of an overwrite stands before its data.
const (
	headSize   = 1 + 4 + 4 + 4
	offsetSize = 4
)

func appendWrite(buf []byte, w disk.Write) []byte {
	at := len(buf)
	n := len(w.Data)
	switch w.Kind {
	case disk.Truncate:
		n = w.Size
	case disk.Overwrite:
		n += offsetSize
	}
	buf = append(buf, byte(w.Kind))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(w.Name)))
	buf = binary.BigEndian.AppendUint32(buf, uint32(n))
	buf = binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf[at:]))
	at = len(buf)
	buf = append(buf, w.Name...)
	if w.Kind == disk.Overwrite {
		buf = binary.BigEndian.AppendUint32(buf, uint32(w.Size))
	}
	buf = append(buf, w.Data...)
	return binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf[at:]))
}

// cutWrite decodes the first write in data, and returns the data after it. torn means that data ends within
// the write, or is corrupt there. An append or an overwrite then has the part of its data that exists.
func cutWrite(data []byte) (w disk.Write, rest []byte, torn bool) {
	if len(data) < headSize || crc32.ChecksumIEEE(data[:9]) != binary.BigEndian.Uint32(data[9:13]) {
		return w, nil, true
	}
	w.Kind = disk.Kind(data[0])
	name, n := int(binary.BigEndian.Uint32(data[1:5])), int(binary.BigEndian.Uint32(data[5:9]))
	body := data[headSize:]
	length := name
	if w.Kind == disk.Truncate {
		w.Size = n
	} else {
		length += n
	}
	if w.Kind < disk.Put || w.Kind > disk.Overwrite || name > writeMost || n > writeMost {
		return w, nil, true
	}
	if len(body) < length+4 || crc32.ChecksumIEEE(body[:length]) != binary.BigEndian.Uint32(body[length:length+4]) {
		if len(body) >= name {
			w = withBody(w, name, body[:min(len(body), length)])
		}
		return w, nil, true
	}
	return withBody(w, name, body[:length]), body[length+4:], false
}

// withBody returns w with its name, which is the first name bytes of body, and its data, which is the rest of
// body and may be incomplete.
func withBody(w disk.Write, name int, body []byte) disk.Write {
	w.Name, body = string(body[:name]), body[name:]
	if w.Kind == disk.Overwrite {
		if len(body) < offsetSize {
			return w
		}
		w.Size, body = int(binary.BigEndian.Uint32(body)), body[offsetSize:]
	}
	w.Data = string(body)
	return w
}

// recover carries out the writes in the journal, and returns the contents that result. If the last write is
// torn, and is an append or an overwrite, it carries out the part that exists. Then it replaces the journal by a
// new one that makes the same contents, so that the part of a torn write is read again the next time.
func (s *storage) recover() (*contents, error) {
	data, err := io.ReadAll(s.file)
	if err != nil {
		return nil, err
	}
	if len(data) < len(journalMagic) && journalMagic[:len(data)] == string(data) { // the journal is new, or the process ended while it was created
		return newContents(), s.begin(newContents())
	}
	rest, ok := bytes.CutPrefix(data, []byte(journalMagic))
	if !ok {
		return nil, errors.New("the file is no journal of a live node, or one of another version of macemc")
	}
	d := newContents()
	for len(rest) > 0 {
		w, next, torn := cutWrite(rest)
		if torn {
			if (w.Kind == disk.Append || w.Kind == disk.Overwrite) && w.Name != "" && w.Data != "" {
				d.write(w)
			}
			break
		}
		d.write(w)
		rest = next
	}
	return d, s.begin(d)
}

// begin replaces the journal by one that makes the contents d from an empty disk.
func (s *storage) begin(d *contents) error {
	buf := []byte(journalMagic)
	for _, w := range d.writes() {
		buf = appendWrite(buf, w)
	}
	name := filepath.Join(s.dir, journalName)
	if err := replaceFile(name, buf); err != nil {
		return err
	}
	if err := s.file.Close(); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	s.file, s.buf = f, s.buf[:0]
	s.size, s.base = int64(len(buf)), int64(len(buf))
	_, err = f.Seek(0, io.SeekEnd)
	return err
}

// put adds a write to the journal. The operating system gets it at the next call of flush.
func (s *storage) put(w disk.Write) {
	s.buf = appendWrite(s.buf, w)
}

// flush passes the writes to the operating system, so that they survive the end of this process.
func (s *storage) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	if s.fault != nil {
		if err := s.fault("write"); err != nil {
			return err
		}
	}
	n, err := s.file.Write(s.buf)
	s.size += int64(n)
	s.buf = s.buf[:0]
	return err
}

// sync makes the operating system write the journal to the disk, so that it survives the end of the machine.
func (s *storage) sync() error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.fault != nil {
		if err := s.fault("sync"); err != nil {
			return err
		}
	}
	return s.file.Sync()
}

// grown replaces the journal if most of its writes have no effect on the contents d any more.
func (s *storage) grown(d *contents) error {
	if s.size < rewriteAt || s.size < 4*s.base {
		return nil
	}
	return s.begin(d)
}

func (s *storage) close() error { return errors.Join(s.flush(), s.file.Close()) }

// contents is the data in a node's storage, as the node reads it.
type contents struct {
	keys  map[string]string
	files map[string][]byte
}

func newContents() *contents { return &contents{map[string]string{}, map[string][]byte{}} }

// Get implements handler.Disk, as Keys, Files and Read do.
func (c *contents) Get(key string) (string, bool) {
	v, is := c.keys[key]
	return v, is
}
func (c *contents) Keys() []string { return sim.Keys(c.keys) }
func (c *contents) Files() []string {
	return slices.DeleteFunc(sim.Keys(c.files), func(name string) bool { return len(c.files[name]) == 0 })
}
func (c *contents) Read(file string) string { return string(c.files[file]) }

func (c *contents) write(w disk.Write) {
	switch w.Kind {
	case disk.Put:
		c.keys[w.Name] = w.Data
	case disk.Delete:
		delete(c.keys, w.Name)
	case disk.Append:
		c.files[w.Name] = append(c.files[w.Name], w.Data...)
	case disk.Overwrite:
		file := c.files[w.Name]
		if gap := w.Size - len(file); gap > 0 {
			file = append(file, make([]byte, gap)...)
		}
		c.files[w.Name] = append(append(file[:w.Size:w.Size], w.Data...), file[min(len(file), w.Size+len(w.Data)):]...)
	case disk.Truncate:
		c.files[w.Name] = c.files[w.Name][:min(w.Size, len(c.files[w.Name]))]
	default:
		panic(fmt.Sprintf("macemc bug: live: there is no write of kind %d", w.Kind))
	}
}

// writes returns writes that make these contents from an empty disk.
func (c *contents) writes() (all []disk.Write) {
	for _, key := range sim.Keys(c.keys) {
		all = append(all, disk.Write{Kind: disk.Put, Name: key, Data: c.keys[key]})
	}
	for _, name := range sim.Keys(c.files) {
		if len(c.files[name]) > 0 {
			all = append(all, disk.Write{Kind: disk.Append, Name: name, Data: string(c.files[name])})
		}
	}
	return all
}

func (c *contents) clone() *contents {
	out := newContents()
	for _, w := range c.writes() {
		out.write(w)
	}
	return out
}
