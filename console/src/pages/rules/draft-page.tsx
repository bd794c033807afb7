/** Edits a draft of the rules: every parameter with its description, then replay or apply. */
import type { RuleSection, RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { Badge, Section } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { Changes } from './changes.tsx'
import { changesBetween, type Draft, fieldOf } from './draft.ts'
import { DraftFrame } from './draft-frame.tsx'
import { NumberRow } from './number-row.tsx'
import styles from './rules.module.css'
import { RulesPage } from './rules-page.tsx'
import { useDraft } from './use-rules.ts'

export default function DraftPage() {
  return <RulesPage>{(rules) => <Editor rules={rules} />}</RulesPage>
}

function Editor({ rules }: { rules: RulesShown }) {
  const { sections } = rules
  const [{ section: selected }] = useFilters({ section: 'weights' })
  const section = sections.find((one) => one.section === selected) ?? sections[0]
  const { draft, overrides, set, reset, discard } = useDraft(sections)
  return (
    <div class={styles['editor']}>
      <nav aria-label="Sections" class={styles['sections']}>
        <ul>
          {sections.map((one) => (
            <li key={one.section}>
              <PageLink
                to="/rules"
                query={{ section: one.section }}
                aria-current={one === section ? 'true' : undefined}
              >
                {one.title} <ChangedCount section={one} draft={draft} />
              </PageLink>
            </li>
          ))}
        </ul>
      </nav>
      <div>
        {section && (
          <Section title={section.title}>
            <p class="muted">{section.about}</p>
            {section.parameters.map((parameter) => {
              const field = fieldOf(section.section, parameter.name)
              return (
                <NumberRow
                  key={field}
                  parameter={parameter}
                  value={draft[field]}
                  onChange={(value) => set(field, value)}
                  onReset={() => reset(field)}
                />
              )
            })}
          </Section>
        )}
        <DraftSection rules={rules} overrides={overrides} onDiscard={discard} />
      </div>
    </div>
  )
}

function ChangedCount({ section, draft }: { section: RuleSection; draft: Draft }) {
  const count = section.parameters.filter(
    ({ name }) => draft[fieldOf(section.section, name)] !== undefined,
  ).length
  return count === 0 ? null : <Badge tone="info">{count} changed</Badge>
}

type DraftProps = Pick<RulesShown, 'overrides'> & { rules: RulesShown; onDiscard: () => void }

function DraftSection({ rules, overrides, onDiscard }: DraftProps) {
  const changes = changesBetween(rules.sections, rules.overrides, overrides)
  if (changes.length === 0) {
    return (
      <Section title="Draft">
        <p class="muted">
          No changes yet. Move a slider or type a value. The draft stays in this browser until you
          apply or discard it.
        </p>
      </Section>
    )
  }
  return (
    <DraftFrame {...{ rules, overrides, onDiscard }} custom_rules={rules.custom_rules}>
      <Changes label="Changed parameters" changes={changes} labels={['Current', 'Draft']} />
    </DraftFrame>
  )
}
