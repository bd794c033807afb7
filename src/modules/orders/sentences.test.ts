import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../platform/package-root.ts'
import { sentenceOf, toldFindings } from './sentences.ts'

describe('a finding in words', () => {
  it('has its numbers in it', () => {
    const numbers = { distance_km: 8918, hours: 0.5, speed_kmh: 17_686 }
    expect(sentenceOf('impossible_travel', numbers)).toBe(
      '8918 km from the last place, 0.5 hours apart: 17686 km/h, which nobody travels',
    )
  })

  it('is followed by the numbers that belong to something else', () => {
    expect(sentenceOf('payment_hopping', { methods_hour: 4, factor: 2.5, lines: 1 })).toBe(
      '4 ways of payment within an hour (factor 2.5, lines 1)',
    )
  })

  it('tells shares in percent', () => {
    const numbers = { local_hour: 3, hour_share: 0.0123 }
    expect(sentenceOf('unusual_hour', numbers)).toContain('1.23 % of the orders')
  })

  it('uses the sentence of which it has all numbers', () => {
    expect(sentenceOf('flagged_device', { told: 80 })).toBe('A check of the device came to 80')
    expect(sentenceOf('flagged_device', { fraud_rate: 0.5 })).toContain('50 %')
  })

  it('is told by its name when there is no sentence for it, or when numbers are missing', () => {
    expect(sentenceOf('strange_thing', { count: 2 })).toBe('Strange thing (count 2)')
    expect(sentenceOf('constructor', {})).toBe('Constructor')
    expect(sentenceOf('impossible_travel', { hours: 1 })).toBe('Impossible travel (hours 1)')
  })

  it('leaves nothing to be filled in, whatever a text contains', () => {
    const numbers = { country: '{hours} $& {country}' }
    expect(sentenceOf('new_country', numbers)).toContain('In {hours} $& {country},')
  })

  it('is there only for what the rules can find, with the numbers that they measure', () => {
    const folders = ['behaviour', 'profiles', join('orders', 'scoring')]
    const source = folders
      .map((folder) => join(packageRoot(), 'src', 'modules', folder))
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const words = new Set(source.match(/\w+/g))
    const told = toldFindings()
    expect(told.filter(({ finding }) => !source.includes(`'${finding}'`))).toEqual([])
    const strange = told.filter(({ numbers }) => !numbers.every((name) => words.has(name)))
    expect(strange).toEqual([])
  })
})
