/** Custom rules: the list in a draft, with the matches of each, then replay or apply. */
import { useState } from 'preact/hooks'
import type {
  CustomRule,
  RuleLanguage,
  RuleMatches,
  RulesShown,
} from '../../../../src/modules/orders/rules/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  Loaded,
  Notice,
  numberText,
  Section,
  Table,
  Time,
} from '../../components/index.ts'
import { useScope } from '../../shell/organization.ts'
import { CustomChanges } from './changes.tsx'
import {
  customChanges,
  EMPTY_RULE,
  freeName,
  movedUp,
  withoutRule,
  withRule,
} from './custom-draft.ts'
import { DraftFrame } from './draft-frame.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { RulesPage } from './rules-page.tsx'
import { signalText, TARGETS } from './subjects.ts'
import { RULES_PATH, useCustomDraft } from './use-rules.ts'

type Custom = { languages: RuleLanguage[]; matches: RuleMatches }

export default function CustomPage() {
  return <RulesPage>{(rules) => <Custom rules={rules} />}</RulesPage>
}

function Custom({ rules }: { rules: RulesShown }) {
  const custom = useRead<Custom>(`${RULES_PATH}/custom`, useScope())
  return (
    <Loaded read={custom} what="the custom rules">
      {(loaded) => <Editor rules={rules} {...loaded} />}
    </Loaded>
  )
}

/** `index` past the end is a new rule. */
type Edited = { index: number; rule: CustomRule }

function Editor({ rules, languages, matches }: Custom & { rules: RulesShown }) {
  const { draft, change, discard } = useCustomDraft(rules.custom_rules)
  const [edited, setEdited] = useState<Edited>()
  const add = (rule: CustomRule) => setEdited({ index: draft.length, rule })
  return (
    <>
      <Section
        title="Rules"
        actions={
          <>
            <Button kind="primary" onClick={() => add(EMPTY_RULE)}>
              New rule…
            </Button>
            <Templates
              languages={languages}
              onChoose={(rule) => add({ ...rule, name: freeName(draft, rule.name) })}
            />
          </>
        }
      >
        {draft.length === 0 ? (
          <p class="muted">
            No rules yet. Start with an empty one or with a template. A new rule is in shadow: it
            records what it would have done, and changes no score.
          </p>
        ) : (
          <RuleTable draft={draft} matches={matches} onEdit={setEdited} onChange={change} />
        )}
        {draft.length > 0 && <Examined examined={matches.examined} />}
      </Section>
      <CustomDraft rules={rules} draft={draft} onDiscard={discard} />
      {edited && (
        <RuleDialog
          languages={languages}
          rule={edited.rule}
          others={withoutRule(draft, edited.index)}
          onSave={(rule) => {
            change(withRule(draft, edited.index, rule))
            setEdited(undefined)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function Examined({ examined }: Pick<RuleMatches, 'examined'>) {
  return (
    <>
      {examined.map(
        ({ applies_to, count, since }) =>
          since !== null && (
            <p key={applies_to} class="muted">
              Matches are counted among the newest {numberText(count)} {TARGETS[applies_to].many},
              received since <Time at={since} as="day" />.
            </p>
          ),
      )}
    </>
  )
}

type TemplatesProps = {
  languages: readonly RuleLanguage[]
  onChoose: (rule: CustomRule) => void
}

function Templates({ languages, onChoose }: TemplatesProps) {
  const all = languages.flatMap(({ templates }) => templates)
  return (
    <span class="select">
      <select
        aria-label="Start with a template"
        value=""
        onChange={({ currentTarget }) => {
          const found = all.find(({ name }) => name === currentTarget.value)
          currentTarget.value = ''
          if (found) onChoose(found)
        }}
      >
        <option value="">Template…</option>
        {languages.map(({ applies_to, templates }) => (
          <optgroup key={applies_to} label={`For ${TARGETS[applies_to].many}`}>
            {templates.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </span>
  )
}

type RuleTableProps = {
  draft: readonly CustomRule[]
  matches: RuleMatches
  onEdit: (edited: Edited) => void
  onChange: (rules: CustomRule[]) => void
}

function RuleTable({ draft, matches, onEdit, onChange }: RuleTableProps) {
  const indexOf = (rule: CustomRule) => draft.indexOf(rule)
  return (
    <Table
      label="Custom rules"
      rows={draft}
      keyOf={({ name }) => name}
      columns={[
        { label: 'State', cell: ({ state }) => <RuleState state={state} /> },
        {
          label: 'Rule',
          isWide: true,
          cell: ({ name, when, comment, warning }) => (
            <>
              <strong>{name}</strong>
              <br />
              <code>{when}</code>
              {comment !== '' && <p class="muted">{comment}</p>}
              {warning !== '' && <Notice tone="warn">{warning}</Notice>}
            </>
          ),
        },
        { label: 'Applies to', cell: ({ applies_to }) => TARGETS[applies_to].many },
        { label: 'Then', cell: (rule) => effectText(rule) },
        { label: 'Matches', cell: ({ name }) => <Matches matches={matches} name={name} /> },
        {
          label: 'Edit',
          hideLabel: true,
          cell: (rule) => (
            <div class="actions">
              <Button size="small" onClick={() => onEdit({ index: indexOf(rule), rule })}>
                Edit <span class="visually-hidden">{rule.name}</span>
              </Button>
              <Button
                size="small"
                disabled={indexOf(rule) === 0}
                onClick={() => onChange(movedUp(draft, indexOf(rule)))}
              >
                Up <span class="visually-hidden">{rule.name}</span>
              </Button>
              <Button size="small" onClick={() => onChange(withoutRule(draft, indexOf(rule)))}>
                Remove <span class="visually-hidden">{rule.name}</span>
              </Button>
            </div>
          ),
        },
      ]}
    />
  )
}

const TONES = { off: 'neutral', shadow: 'info', on: 'good' } as const

const RuleState = ({ state }: Pick<CustomRule, 'state'>) => (
  <Badge tone={TONES[state]}>{state}</Badge>
)

function effectText({ effect, value, ...rule }: CustomRule): string {
  const signal = `signal: ${signalText(rule.signal)}`
  if (effect === 'points') return `${value < 0 ? '' : '+'}${value} points (${signal})`
  if (effect === 'floor') return `score at least ${value} (${signal})`
  if (effect === 'cap') return `score at most ${value}`
  return effect === 'review' ? `review (${signal})` : 'alert'
}

function Matches({ matches, name }: { matches: RuleMatches; name: string }) {
  const found = matches.rules.find(({ rule }) => rule === name)
  if (!found) return <span class="muted">none</span>
  const { matched, in_shadow, flagged, confirmed_fraud, legitimate } = found
  const decided = confirmed_fraud + legitimate
  return (
    <>
      {matched > 0 && <p>{numberText(matched)} on</p>}
      {in_shadow > 0 && <p>{numberText(in_shadow)} in shadow</p>}
      <p class="muted">{numberText(flagged)} to review by it</p>
      {decided > 0 && (
        <p class="muted">
          {numberText(confirmed_fraud)} of {numberText(decided)} decided were fraud
        </p>
      )}
    </>
  )
}

type CustomDraftProps = {
  rules: RulesShown
  draft: readonly CustomRule[]
  onDiscard: () => void
}

function CustomDraft({ rules, draft, onDiscard }: CustomDraftProps) {
  const changes = customChanges(rules.custom_rules, draft)
  if (changes.length === 0) return null
  const { overrides } = rules
  return (
    <DraftFrame {...{ rules, overrides, onDiscard }} custom_rules={draft}>
      <CustomChanges changes={changes} />
    </DraftFrame>
  )
}
