import { describe, expect, it } from 'vitest'
import { storable } from '../../../platform/postgres/storable.ts'
import type { WireOperation } from '../providers/port.ts'
import { endOfOperation, endWithDevice } from './state.ts'

const done = (values: Partial<WireOperation> = {}): WireOperation => ({
  name: 'enterprises/LC1/devices/d/operations/1',
  done: true,
  metadata: { type: 'LOCK' },
  ...values,
})

describe('an operation', () => {
  it('has no end until the device has responded', () => {
    expect(endOfOperation(done({ done: false }))).toBeUndefined()
    expect(endOfOperation({ name: 'x', metadata: { errorCode: 'API_LEVEL' } })).toBeUndefined()
  })

  it('is acknowledged when it reports no error', () => {
    const end = { status: 'acknowledged', error: null }
    expect(endOfOperation(done())).toEqual(end)
    expect(endOfOperation({ done: true })).toEqual(end)
    const errorCode = 'COMMAND_ERROR_CODE_UNSPECIFIED'
    expect(endOfOperation(done({ metadata: { errorCode } }))).toEqual(end)
  })

  it('fails with the apps whose data was not cleared, before any other error', () => {
    const results = {
      'com.one': { clearingResult: 'SUCCESS' },
      'com.two': { clearingResult: 'APP_NOT_FOUND' },
      'com.three': {},
    }
    const metadata = { errorCode: 'UNKNOWN', clearAppsDataStatus: { results } }
    expect(endOfOperation(done({ metadata, error: { code: 4 } }))).toEqual({
      status: 'failed',
      error: 'App data was not cleared: com.two (APP_NOT_FOUND), com.three (no result)',
    })
  })

  it('is acknowledged when the data of all apps was cleared', () => {
    const results = { 'com.one': { clearingResult: 'SUCCESS' } }
    const metadata = { clearAppsDataStatus: { results } }
    expect(endOfOperation(done({ metadata }))?.status).toBe('acknowledged')
  })

  it('fails with the error code of the device before the error of the operation', () => {
    const end = endOfOperation(done({ metadata: { errorCode: 'API_LEVEL' }, error: { code: 1 } }))
    expect(end?.status).toBe('failed')
    expect(end?.error).toContain('Android version')
    for (const errorCode of ['NEW_ONE', 'constructor', 'toString']) {
      expect(endOfOperation(done({ metadata: { errorCode } }))?.error).toContain(errorCode)
    }
  })

  it.each([
    [1, 'cancelled'],
    [4, 'expired'],
    [13, 'failed'],
    [undefined, 'failed'],
  ] as const)('whose error has the code %s is %s', (code, status) => {
    const error = code === undefined ? {} : { code, message: 'reason' }
    expect(endOfOperation(done({ error }))?.status).toBe(status)
  })

  it('never throws, even if the result is malformed', () => {
    const strange = [
      { done: true, metadata: null },
      { done: true, metadata: { clearAppsDataStatus: { results: [null] } } },
      { done: true, metadata: { clearAppsDataStatus: { results: 7 }, errorCode: 9 } },
      { done: true, error: 'broken' },
      { done: true, error: { message: {} } },
    ]
    for (const each of strange) {
      expect(endOfOperation(each as unknown as WireOperation)).toHaveProperty('status')
    }
  })

  it('has an error text that can be stored', () => {
    const { error } = endOfOperation(done({ error: { message: `a\0${'b'.repeat(9000)}` } })) ?? {}
    expect(error).toHaveLength(512)
    expect(error).not.toContain('\0')
    expect(storable(`${'x'.repeat(511)}😀`).isWellFormed()).toBe(true)
  })
})

describe('the removal of a device', () => {
  it.each(['WIPE', 'RELINQUISH_OWNERSHIP'] as const)('acknowledges a sent %s', (type) => {
    const end = endWithDevice({ type, status: 'sent', unsure_since: null })
    expect(end).toEqual({ status: 'acknowledged', error: null })
  })

  it('cancels all other commands', () => {
    const lock = endWithDevice({ type: 'LOCK', status: 'sent', unsure_since: null })
    expect(lock).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('it is unknown') as string,
    })
    const waiting = endWithDevice({ type: 'WIPE', status: 'queued', unsure_since: null })
    expect(waiting).toEqual({ status: 'cancelled', error: 'The device is no longer managed' })
  })

  it('does not acknowledge a wipe that may never have been sent', () => {
    const end = endWithDevice({ type: 'WIPE', status: 'queued', unsure_since: new Date(0) })
    expect(end).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('it is unknown') as string,
    })
  })
})
