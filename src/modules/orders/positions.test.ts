import { describe, expect, it } from 'vitest'
import { createPositions } from './positions.ts'

const { isOutside } = createPositions()

describe('a position', () => {
  it.each([
    ['DE', 6.5, 3.4, 'Lagos'],
    ['DE', 48.86, 2.35, 'Paris'],
    ['US', 55.75, 37.62, 'Moscow'],
    ['CH', 52.52, 13.4, 'Berlin'],
    ['NZ', -33.87, 151.2, 'Sydney'],
  ])('is outside of %s at %d, %d (%s)', (country, latitude, longitude) => {
    expect(isOutside(country, latitude, longitude)).toBe(true)
  })

  it.each([
    ['DE', 52.52, 13.4, 'Berlin'],
    ['DE', 47.56, 7.59, 'Basel, at the border'],
    ['US', 21.31, -157.86, 'Honolulu'],
    ['US', 52.9, 173, 'Attu, beyond the date line'],
    ['US', 18.47, -66.1, 'San Juan'],
    ['FJ', -16.8, -179.9, 'Taveuni'],
    ['FR', -21.1, 55.5, 'Réunion'],
    ['RU', 64.7, -179.9, 'Chukotka'],
    ['NO', 78.22, 15.65, 'Svalbard'],
    ['AQ', -90, 180, 'the south pole'],
    ['SO', 9.56, 44.06, 'Hargeisa'],
    ['SG', 1.35, 103.82, 'Singapore'],
    ['XX', 0, 0, 'a country without an outline'],
    ['atlantis', 0, 0, 'an unknown name'],
  ])('is not outside of %s at %d, %d (%s)', (country, latitude, longitude) => {
    expect(isOutside(country, latitude, longitude)).toBe(false)
  })
})
