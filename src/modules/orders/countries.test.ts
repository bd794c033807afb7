import { describe, expect, it } from 'vitest'
import { createCountries } from './countries.ts'

const countries = createCountries()

describe('a country', () => {
  it.each([
    ['Germany', 'DE'],
    [' germany ', 'DE'],
    ['Deutschland', 'DE'],
    ['de', 'DE'],
    ['DEU', 'DE'],
    ['United States', 'US'],
    ['USA', 'US'],
    ['United Kingdom', 'GB'],
    ['Côte d’Ivoire', 'CI'],
    ["Côte d'Ivoire", 'CI'],
    ['中国', 'CN'],
    ['Österreich', 'AT'],
  ])('is reduced to its code from any of its names: %s', (name, code) => {
    expect(countries.codeOf(name)).toBe(code)
  })

  it('that is unknown keeps its name, in lower case', () => {
    expect(countries.codeOf('Atlantis')).toBe('atlantis')
  })

  it('with an overlong name is cut to its first whole characters', () => {
    const name = countries.codeOf('\u{1f642}'.repeat(1000))
    expect(name).toBe('\u{1f642}'.repeat(48))
  })
})
