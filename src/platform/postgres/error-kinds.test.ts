import { describe, expect, it } from 'vitest'
import { errorKindOf } from './error-kinds.ts'

const withCode = (code: string) => Object.assign(new Error('refused'), { code })

describe('the kind of a database error', () => {
  it.each([
    ['53100', 'disk_full'],
    ['53200', 'resources'],
    ['53300', 'too_many_connections'],
    ['25006', 'read_only'],
    ['58030', 'io'],
    ['XX001', 'corruption'],
    ['57014', 'timeout'],
    ['57P01', 'connection'],
    ['ECONNREFUSED', 'connection'],
    ['40P01', 'conflict'],
    ['23505', 'statement'],
    ['42501', 'other'],
  ])('with code %s is %s', (code, kind) => {
    expect(errorKindOf(withCode(code))).toBe(kind)
  })

  it.each([
    ['timeout exceeded when trying to connect', 'pool_timeout'],
    ['Query read timeout', 'timeout'],
    ['Connection terminated unexpectedly', 'connection'],
    ['something else', 'other'],
  ])('with the message %s and no code is %s', (message, kind) => {
    expect(errorKindOf(new Error(message))).toBe(kind)
  })

  it('does not count an error that only follows from another', () => {
    expect(errorKindOf(withCode('25P02'))).toBeUndefined()
  })
})
