import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../platform/package-root.ts'
import { findingsWithSentences, sentenceOf } from './sentences.ts'

describe('the sentence of a finding', () => {
  it('contains its numbers', () => {
    const numbers = { distance_km: 8918, hours: 0.5, speed_kmh: 17_686 }
    expect(sentenceOf('impossible_travel', numbers)).toBe(
      '8918 km from the last place, 0.5 hours apart: 17686 km/h, faster than anyone travels',
    )
  })

  it('is followed by the remaining numbers in parentheses', () => {
    expect(sentenceOf('payment_hopping', { methods_hour: 4, factor: 2.5, lines: 1 })).toBe(
      '4 payment methods within an hour (factor 2.5, lines 1)',
    )
  })

  it('shows shares as percentages', () => {
    const numbers = { local_hour: 3, hour_share: 0.0123 }
    expect(sentenceOf('unusual_hour', numbers)).toContain('1.23 % of the orders')
  })

  it('uses the first template whose numbers are all present', () => {
    expect(sentenceOf('flagged_device', { told: 80 })).toBe('A check of the device scored 80')
    expect(sentenceOf('flagged_device', { fraud_rate: 0.5 })).toContain('50 %')
  })

  it('is the name of the finding when no template fits', () => {
    expect(sentenceOf('strange_thing', { count: 2 })).toBe('Strange thing (count 2)')
    expect(sentenceOf('constructor', {})).toBe('Constructor')
    expect(sentenceOf('impossible_travel', { hours: 1 })).toBe('Impossible travel (hours 1)')
  })

  it('does not expand placeholders inside of values', () => {
    const numbers = { country: '{hours} $& {country}' }
    expect(sentenceOf('new_country', numbers)).toContain('In {hours} $& {country},')
  })

  it('exists only for findings and numbers that the rules produce', () => {
    const folders = ['behavior', 'profiles', join('orders', 'scoring')]
    const source = folders
      .map((folder) => join(packageRoot(), 'src', 'modules', folder))
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const words = new Set(source.match(/\w+/g))
    const findings = findingsWithSentences()
    expect(findings.filter(({ finding }) => !source.includes(`'${finding}'`))).toEqual([])
    const strange = findings.filter(({ numbers }) => !numbers.every((name) => words.has(name)))
    expect(strange).toEqual([])
  })
})
