/** What the pages of the rules lab have in common. */
import { type ComponentChildren, Fragment } from 'preact'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { Page, Shown, Tabs, Time } from '../../components/index.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { useRules } from './use-rules.ts'

const TABS = [
  { to: '/rules', label: 'Draft' },
  { to: '/rules/replays', label: 'Replays' },
  { to: '/rules/versions', label: 'Versions' },
]

export function RulesFrame({ children }: { children: (rules: RulesShown) => ComponentChildren }) {
  const rules = useRules()
  const { id } = useOrg()
  const mode = useMode()
  return (
    <Page title="Rules lab" lead={<Lead rules={rules.data} />}>
      <Tabs label="Rules lab" tabs={TABS} />
      <Shown read={rules} what="the rules">
        {/* A draft for live orders is not one for test orders. */}
        {(known) => <Fragment key={`${id} ${mode}`}>{children(known)}</Fragment>}
      </Shown>
    </Page>
  )
}

function Lead({ rules }: { rules: RulesShown | undefined }) {
  const mode = useMode()
  if (!rules) return <>Rules of orders, {mode} data</>
  if (!rules.applied) return <>The defaults are in force for orders of {mode} data</>
  const { applied } = rules
  return (
    <>
      Version {rules.version} is in force for orders of {mode} data, applied{' '}
      <Time at={applied.applied_at} as="age" /> by {applied.applied_by_email ?? applied.applied_by}
    </>
  )
}
