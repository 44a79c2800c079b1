// The service is examples/lock/lock.go, which the test lays over this package.
package lock
