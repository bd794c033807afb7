import { ClickHouseError } from '@clickhouse/client'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../operator-error.ts'
import { EngineAway, EngineRefusal, engineError } from './errors.ts'

const said = (code: number, message: string) =>
  new ClickHouseError({ code: String(code), message, type: 'SOME_TYPE' })

describe('what the engine fails with', () => {
  it.each([159, 202, 236, 999])('is that it is away: %i', (code) => {
    expect(engineError(said(code, 'No.'))).toBeInstanceOf(EngineAway)
  })

  it.each([
    [241, true],
    [252, true],
    [516, true],
    [27, false],
    [47, false],
  ])('is a refusal: %i, which will pass: %s', (code, is_passing) => {
    const error = engineError(said(code, 'No.'))
    expect(error).toBeInstanceOf(EngineRefusal)
    expect(error).toMatchObject({ code, is_passing })
  })

  it('is that it is away, when nothing was answered', () => {
    const refused = engineError(new AggregateError([new Error('connect ECONNREFUSED')]))
    expect(refused).toBeInstanceOf(EngineAway)
    expect(refused.message).toContain('connect ECONNREFUSED')
    const locked = engineError(new OperatorError('The directory is in use.'))
    expect(locked).toBeInstanceOf(EngineAway)
    expect(locked.message).toBe('The directory is in use.')
    expect(engineError(locked)).toBe(locked)
  })

  it('is that it is away, in one short line, when something else answered', () => {
    const page = engineError(new Error(`<html>\n<h1>Bad Gateway</h1>${' \n.'.repeat(1000)}`))
    expect(page).toBeInstanceOf(EngineAway)
    expect(page.message).toMatch(/^The analytics engine is away: <html> <h1>Bad Gateway<.{0,400}$/)
    expect(engineError(new Error('')).message).toContain('is not ClickHouse')
  })

  it('does not repeat what is in quotes', () => {
    const sentence = String.raw`Unknown identifier \`x\` in scope SELECT CAST('it\'s secret', 'String'), 'more`
    const error = engineError(said(47, sentence.replaceAll('\\`', '`')))
    expect(error.message).toBe(
      "Code 47 (SOME_TYPE): Unknown identifier `x` in scope SELECT CAST('…', '…'), '…'",
    )
    expect(error.cause).toBeUndefined()
  })

  it('does not repeat rows', () => {
    const sentence = `Cannot parse input: expected ',' before: 'my "secret's": 1': (at row 7)\nmore secrets`
    expect(engineError(said(27, sentence), 'insert').message).toBe('Code 27 (SOME_TYPE): at row 7')
    expect(engineError(said(241, 'Too much.'), 'insert').message).toBe('Code 241 (SOME_TYPE)')
  })
})
