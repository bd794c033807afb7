/** The draft: every number of the rules with what it does, and what to do with those that changed. */
import { useState } from 'preact/hooks'
import type { RuleSection, RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { Badge, Button, Section } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { Changes } from './changes.tsx'
import { changesBetween, type Draft, fieldOf } from './draft.ts'
import { RulesFrame } from './frame.tsx'
import { NumberRow } from './number-row.tsx'
import styles from './rules.module.css'
import { StartReplay } from './start-replay.tsx'
import { useDraft } from './use-rules.ts'

export default function DraftPage() {
  return <RulesFrame>{(rules) => <Editor rules={rules} />}</RulesFrame>
}

function Editor({ rules }: { rules: RulesShown }) {
  const { sections } = rules
  const [{ section: chosen }] = useFilters({ section: 'weights' })
  const section = sections.find((one) => one.section === chosen) ?? sections[0]
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

type DraftProps = {
  rules: RulesShown
  overrides: RulesShown['overrides']
  onDiscard: () => void
}

function DraftSection({ rules, overrides, onDiscard }: DraftProps) {
  const { is_admin } = useOrg()
  const [isApplying, setApplying] = useState(false)
  const changes = changesBetween(rules.sections, rules.overrides, overrides)
  if (changes.length === 0) {
    return (
      <Section title="Your draft">
        <p class="muted">
          Nothing is changed yet. Move a slider or type a number: the draft stays in this browser
          until it is applied or discarded.
        </p>
      </Section>
    )
  }
  return (
    <>
      <Section
        title="Your draft"
        actions={
          <>
            <Button onClick={onDiscard}>Discard</Button>
            <Button disabled={!is_admin} onClick={() => setApplying(true)}>
              Apply…
            </Button>
            {!is_admin && <AdminsOnly />}
          </>
        }
      >
        <Changes label="Changed numbers" changes={changes} labels={['In force', 'Draft']} />
      </Section>
      <StartReplay overrides={overrides} />
      {isApplying && (
        <ApplyDialog
          rules={rules}
          overrides={overrides}
          onDone={() => {
            setApplying(false)
            onDiscard()
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  )
}
