import { describe, expect, it } from 'vitest'
import type { WireCommand } from '../../providers/port.ts'
import { adoptedOperation } from './adoption.ts'

const SINCE = new Date('2026-03-01T12:00:00.000Z')
const at = (seconds: number) => new Date(SINCE.getTime() + seconds * 1000).toISOString()
const operation = (name: string, metadata: WireCommand) => ({ name, metadata })
const lock = (name: string, seconds: number) =>
  operation(name, { type: 'LOCK', createTime: at(seconds) })

const LOCK = { type: 'LOCK', parameters: {} } as const
const adopted = (operations: Parameters<typeof adoptedOperation>[0], taken: string[] = []) =>
  adoptedOperation(operations, LOCK, { since: SINCE, taken: new Set(taken) })?.name

describe('an operation is adopted', () => {
  it('when it is of the same type and was made since the attempt began', () => {
    expect(adopted([lock('one', 1)])).toBe('one')
    expect(adopted([operation('wipe', { type: 'WIPE', createTime: at(1) })])).toBeUndefined()
  })

  it('when the clock of the provider is up to a minute behind', () => {
    expect(adopted([lock('late', -59)])).toBe('late')
    expect(adopted([lock('old', -61)])).toBeUndefined()
  })

  it('only while no other command has it', () => {
    expect(adopted([lock('two', 2), lock('one', 1)], ['one'])).toBe('two')
    expect(adopted([lock('one', 1)], ['one'])).toBeUndefined()
  })

  it('the oldest first, however they are listed', () => {
    expect(adopted([lock('three', 3), lock('one', 1), lock('two', 2)])).toBe('one')
  })

  it('only when it says when it was made', () => {
    expect(adopted([operation('timeless', { type: 'LOCK' })])).toBeUndefined()
    expect(adopted([operation('odd', { type: 'LOCK', createTime: 'soon' })])).toBeUndefined()
    const hostile = { toString: 1 } as unknown as string
    expect(adopted([operation('bad', { type: 'LOCK', createTime: hostile })])).toBeUndefined()
  })

  it('for the same apps, where the provider names them', () => {
    const parameters = { package_names: ['a.b', 'c.d'] }
    const command = { type: 'CLEAR_APP_DATA' as const, parameters }
    const clearing = (packageNames?: string[]) =>
      operation('clear', {
        type: 'CLEAR_APP_DATA',
        createTime: at(1),
        ...(packageNames && { clearAppsDataParams: { packageNames } }),
      })
    const given = { since: SINCE, taken: new Set<string>() }
    expect(adoptedOperation([clearing(['c.d', 'a.b'])], command, given)?.name).toBe('clear')
    expect(adoptedOperation([clearing(['a.b'])], command, given)).toBeUndefined()
    expect(adoptedOperation([clearing()], command, given)?.name).toBe('clear')
  })
})
