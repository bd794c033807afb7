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

describe('an operation', () => {
  it('is adopted when it has the same type and was created since the attempt began', () => {
    expect(adopted([lock('one', 1)])).toBe('one')
    expect(adopted([operation('wipe', { type: 'WIPE', createTime: at(1) })])).toBeUndefined()
  })

  it('is adopted when the clock of the provider is up to a minute behind', () => {
    expect(adopted([lock('late', -59)])).toBe('late')
    expect(adopted([lock('old', -61)])).toBeUndefined()
  })

  it('is adopted only while no other command has it', () => {
    expect(adopted([lock('two', 2), lock('one', 1)], ['one'])).toBe('two')
    expect(adopted([lock('one', 1)], ['one'])).toBeUndefined()
  })

  it('is adopted before newer ones, in whatever order they are listed', () => {
    expect(adopted([lock('three', 3), lock('one', 1), lock('two', 2)])).toBe('one')
  })

  it('is adopted only with a valid time of creation', () => {
    expect(adopted([operation('timeless', { type: 'LOCK' })])).toBeUndefined()
    expect(adopted([operation('odd', { type: 'LOCK', createTime: 'soon' })])).toBeUndefined()
    const hostile = { toString: 1 } as unknown as string
    expect(adopted([operation('bad', { type: 'LOCK', createTime: hostile })])).toBeUndefined()
  })

  it('is adopted only for the same apps if the provider names them', () => {
    const parameters = { package_names: ['a.b', 'c.d'] }
    const command = { type: 'CLEAR_APP_DATA' as const, parameters }
    const clearing = (packageNames?: string[]) =>
      operation('clear', {
        type: 'CLEAR_APP_DATA',
        createTime: at(1),
        ...(packageNames && { clearAppsDataParams: { packageNames } }),
      })
    const options = { since: SINCE, taken: new Set<string>() }
    expect(adoptedOperation([clearing(['c.d', 'a.b'])], command, options)?.name).toBe('clear')
    expect(adoptedOperation([clearing(['a.b'])], command, options)).toBeUndefined()
    expect(adoptedOperation([clearing()], command, options)?.name).toBe('clear')
  })
})
