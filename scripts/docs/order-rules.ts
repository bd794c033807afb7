/** The table of docs/operate/rules.md: every parameter of the order rules with its default and meaning. */
import { orderRuleSections } from '../../src/modules/orders/index.ts'
import { renderTable } from './table.ts'

/** Sections with one member per signal, for which the meaning of the section says more. */
const BY_SIGNAL: readonly string[] = ['weights', 'flag_scores']

export const orderRulesTable = (): string =>
  renderTable(
    ['Section', 'Name', 'Default', 'Meaning'],
    orderRuleSections({}).flatMap(({ section, about, parameters }) =>
      parameters.map((parameter, index) => [
        index === 0 ? `\`${section}\`` : '',
        `\`${parameter.name}\``,
        String(parameter.default),
        BY_SIGNAL.includes(section) ? (index === 0 ? about : '') : parameter.about,
      ]),
    ),
  )
