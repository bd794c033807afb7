import { numberText, percentText } from '../../../components/format.ts'

/** The change from the time of the same length before: "12, 50% more than 8 before". */
export function changeText(before: number, count: number): string {
  if (before === 0) return count === 0 ? 'None in either' : `${numberText(count)}, none before`
  if (before === count) return `${numberText(count)}, as many as before`
  const share = percentText(Math.abs(count - before) / before, 0)
  const direction = count > before ? 'more' : 'fewer'
  return `${numberText(count)}, ${share} ${direction} than ${numberText(before)} before`
}
