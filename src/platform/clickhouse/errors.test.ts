import { ClickHouseError } from '@clickhouse/client'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../operator-error.ts'
import { EngineRefusal, EngineUnavailable, engineError } from './errors.ts'

const clickHouseError = (code: number, message: string) =>
  new ClickHouseError({ code: String(code), message, type: 'SOME_TYPE' })

describe('an error of the engine', () => {
  it.each([159, 202, 236, 999])('with code %i means that it is unavailable', (code) => {
    expect(engineError(clickHouseError(code, 'No.'))).toBeInstanceOf(EngineUnavailable)
  })

  it.each([
    [241, true],
    [252, true],
    [516, true],
    [27, false],
    [47, false],
  ])('with code %i is a refusal; transient: %s', (code, is_transient) => {
    const error = engineError(clickHouseError(code, 'No.'))
    expect(error).toBeInstanceOf(EngineRefusal)
    expect(error).toMatchObject({ code, is_transient })
  })

  it('without a response means that it is unavailable', () => {
    const refused = engineError(new AggregateError([new Error('connect ECONNREFUSED')]))
    expect(refused).toBeInstanceOf(EngineUnavailable)
    expect(refused.message).toContain('connect ECONNREFUSED')
    const locked = engineError(new OperatorError('The directory is in use.'))
    expect(locked).toBeInstanceOf(EngineUnavailable)
    expect(locked.message).toBe('The directory is in use.')
    expect(engineError(locked)).toBe(locked)
  })

  it('from another server means that it is unavailable, in one short line', () => {
    const page = engineError(new Error(`<html>\n<h1>Bad Gateway</h1>${' \n.'.repeat(1000)}`))
    expect(page).toBeInstanceOf(EngineUnavailable)
    expect(page.message).toMatch(
      /^The analytics engine is unavailable: <html> <h1>Bad Gateway<.{0,400}$/,
    )
    expect(engineError(new Error('')).message).toContain('the response is not from ClickHouse')
  })

  it('does not contain quoted values', () => {
    const sentence = String.raw`Unknown identifier \`x\` in scope SELECT CAST('it\'s secret', 'String'), 'more`
    const error = engineError(clickHouseError(47, sentence.replaceAll('\\`', '`')))
    expect(error.message).toBe(
      "Code 47 (SOME_TYPE): Unknown identifier `x` in scope SELECT CAST('…', '…'), '…'",
    )
    expect(error.cause).toBeUndefined()
  })

  it('does not contain inserted rows', () => {
    const sentence = `Cannot parse input: expected ',' before: 'my "secret's": 1': (at row 7)\nmore secrets`
    expect(engineError(clickHouseError(27, sentence), 'insert').message).toBe(
      'Code 27 (SOME_TYPE): at row 7',
    )
    expect(engineError(clickHouseError(241, 'Too much.'), 'insert').message).toBe(
      'Code 241 (SOME_TYPE)',
    )
  })
})
