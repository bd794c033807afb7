import { expect, it } from 'vitest'
import { calibrationText } from './calibration.ts'

it.each([
  [0.07, 'about 7 were fraud'],
  [0.011, 'about 1 was fraud'],
  [0.002, 'fewer than 1 were fraud'],
  [0, 'none was fraud'],
  [1, 'about 100 were fraud'],
])('a share of %d is stated of 100 orders', (fraud_share, part) => {
  expect(calibrationText({ from_score: 40, to_score: 52, fraud_share, orders: 310 })).toBe(
    `Of 100 orders with a score of 40 to 52, ${part} (310 orders)`,
  )
})
