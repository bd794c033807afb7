import { type ComponentChildren, Fragment } from 'preact'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { Loaded, Page, Tabs, Time } from '../../components/index.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { useRules } from './use-rules.ts'

const TABS = [
  { to: '/rules', label: 'Numbers' },
  { to: '/rules/custom', label: 'Custom rules' },
  { to: '/rules/replays', label: 'Replays' },
  { to: '/rules/learned', label: 'Learned' },
  { to: '/rules/versions', label: 'Versions' },
]

export function RulesPage({ children }: { children: (rules: RulesShown) => ComponentChildren }) {
  const rules = useRules()
  const { id } = useOrg()
  const mode = useMode()
  return (
    <Page title="Rules lab" lead={<Lead rules={rules.data} />}>
      <Tabs label="Rules lab" tabs={TABS} />
      <Loaded read={rules} what="the rules">
        {/* The key separates drafts for live and test orders. */}
        {(loaded) => <Fragment key={`${id} ${mode}`}>{children(loaded)}</Fragment>}
      </Loaded>
    </Page>
  )
}

function Lead({ rules }: { rules: RulesShown | undefined }) {
  const mode = useMode()
  if (!rules) return <>Order rules, {mode} data</>
  if (!rules.applied) return <>The defaults are active for {mode} orders</>
  const { applied } = rules
  return (
    <>
      Version {rules.version} is active for {mode} orders, applied{' '}
      <Time at={applied.applied_at} as="age" /> by {applied.applied_by_email ?? applied.applied_by}
    </>
  )
}
