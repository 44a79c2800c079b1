// Package lock is a lock server, and clients that ask it for the lock. They
// ask by TCP, and once more when they have waited.
package lock
