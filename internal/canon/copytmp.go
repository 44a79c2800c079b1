package canon

import (
	"reflect"
	"unsafe"
)

func (w *Walker) Copy(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	seen := map[unsafe.Pointer]reflect.Value{}
	src := reflect.New(reflect.TypeOf(v)).Elem()
	src.Set(reflect.ValueOf(v))
	dst := reflect.New(reflect.TypeOf(v)).Elem()
	tmpCopy(dst, src, seen)
	return dst.Interface(), nil
}

func tmpAcc(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func tmpCopy(dst, src reflect.Value, seen map[unsafe.Pointer]reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		if src.IsNil() {
			return
		}
		if src.Elem().Kind() != reflect.Struct && false {
			return
		}
		if c, ok := seen[src.UnsafePointer()]; ok && c.Type() == src.Type() {
			dst.Set(c)
			return
		}
		if src.Type().String() == "*sim.env" || src.Type().String() == "*sim.port" {
			dst.Set(src)
			return
		}
		n := reflect.New(src.Type().Elem())
		seen[src.UnsafePointer()] = n
		dst.Set(n)
		tmpCopy(n.Elem(), src.Elem(), seen)
	case reflect.Struct:
		for i := range src.NumField() {
			tmpCopy(tmpAcc(dst.Field(i)), tmpAcc(src.Field(i)), seen)
		}
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		s := reflect.MakeSlice(src.Type(), src.Len(), src.Len())
		for i := range src.Len() {
			tmpCopy(s.Index(i), src.Index(i), seen)
		}
		dst.Set(s)
	case reflect.Array:
		for i := range src.Len() {
			tmpCopy(dst.Index(i), src.Index(i), seen)
		}
	case reflect.Map:
		if src.IsNil() {
			return
		}
		m := reflect.MakeMapWithSize(src.Type(), src.Len())
		dst.Set(m)
		for _, k := range src.MapKeys() {
			v := reflect.New(src.Type().Elem()).Elem()
			sv := reflect.New(src.Type().Elem()).Elem()
			sv.Set(src.MapIndex(k))
			tmpCopy(v, sv, seen)
			m.SetMapIndex(k, v)
		}
	case reflect.Interface:
		if src.IsNil() {
			return
		}
		e := reflect.New(src.Elem().Type()).Elem()
		e.Set(src.Elem())
		c := reflect.New(src.Elem().Type()).Elem()
		tmpCopy(c, e, seen)
		dst.Set(c)
	default:
		dst.Set(src)
	}
}
