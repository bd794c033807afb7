/** Reason codes as lines of text that people edit. */
import type { CaseSettings } from '../../../../src/modules/reviews/cases/schema.ts'

type Codes = CaseSettings['reason_codes']

export const linesOf = (codes: Codes): string =>
  codes.map(({ code, label }) => `${code}: ${label}`).join('\n')

/** A line without a text is shown by its code. */
export const codesOf = (text: string): Codes =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [code = '', ...label] = line.split(':')
      return { code: code.trim(), label: label.join(':').trim() || code.trim() }
    })
