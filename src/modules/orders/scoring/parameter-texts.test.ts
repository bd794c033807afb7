import { expect, it } from 'vitest'
import { PARAMETER_TEXTS } from './parameter-texts.ts'
import { DEFAULT_ORDER_PARAMETERS, limitsOf, readOrderParameters } from './parameters.ts'

type Sections = Record<string, Record<string, number>>
const defaults = DEFAULT_ORDER_PARAMETERS as unknown as Sections
const all = Object.entries(defaults).flatMap(([section, values]) =>
  Object.entries(values).map(([name, value]) => ({ section, name, value })),
)

it('exactly the numbers of the rules are explained, in their order', () => {
  const explained = Object.entries(PARAMETER_TEXTS).map(([section, { parameters }]) => [
    section,
    Object.keys(parameters).toSorted(),
  ])
  expect(explained).toEqual(
    Object.entries(defaults).map(([section, values]) => [section, Object.keys(values).toSorted()]),
  )
})

it.each(all)(
  '$section.$name has complete sentences and a slider that reaches its default',
  ({ section, name, value }) => {
    const texts = PARAMETER_TEXTS as unknown as Record<
      string,
      { parameters: Record<string, { [member: string]: string | number }> }
    >
    const text = texts[section]?.parameters[name] ?? {}
    for (const sentence of [text['about'], text['raising']]) {
      expect(sentence).toMatch(/^[A-Z].{15,}\.$/)
    }
    expect(String(text['about']).length).toBeLessThan(130)
    expect(text['label']).toMatch(/^[A-Z].{3,40}$/)
    const { min, max } = limitsOf(section, name)
    expect(value).toBeGreaterThanOrEqual(min)
    expect(value).toBeLessThanOrEqual(Number(text['slider_max']))
    expect(text['slider_max']).toBeLessThanOrEqual(max)
    expect(() => readOrderParameters({ [section]: { [name]: value } })).not.toThrow()
  },
)
