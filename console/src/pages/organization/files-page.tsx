/** What configuration files have set, so that people know what to change there. */
import type { ItemKind, ManagedItem } from '../../../../src/modules/configuration/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useOrg } from '../../shell/organization.ts'
import { OrganizationPage } from './organization-page.tsx'

const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  members: 'Member',
  api_keys: 'API key',
  order_rules: 'Order rules',
  list_entries: 'List entry',
  alert_rules: 'Log alert rule',
  push_applications: 'Push application',
  notification_channels: 'Notification channel',
  notification_routes: 'Notification route',
  webhook_endpoints: 'Webhook endpoint',
  device_policies: 'Device policy',
  device_groups: 'Device group',
  saved_searches: 'Saved search',
  log_dashboard: 'Dashboard',
  case_settings: 'Settings of cases',
  credit_settings: 'Settings of credits',
  sign_in_provider: 'Provider of single sign-on',
  sign_in_policy: 'Requirements of sign-in',
}

export default function Files() {
  const { id: org_id } = useOrg()
  const read = useRead<{ items: ManagedItem[] }>('/console/api/configuration', { org_id })
  return (
    <OrganizationPage lead="Settings that configuration files have made. A change in the console is kept and shown as drift when the files are applied the next time.">
      <ListSection
        list={mapRead(read, ({ items }) => items)}
        what="items"
        label="Set by files"
        columns={COLUMNS}
        keyOf={({ kind, name }) => `${kind} ${name}`}
        empty={
          <p>
            <code>vigil export config</code> writes what exists as a file, and{' '}
            <code>vigil apply</code> makes the organization what a file says.
          </p>
        }
      />
    </OrganizationPage>
  )
}

const COLUMNS: readonly Column<ManagedItem>[] = [
  { label: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
  { label: 'Name', isWide: true, cell: ({ name }) => name },
  { label: 'File', cell: ({ source }) => source && <code>{source}</code> },
  { label: 'Revision', cell: ({ revision }) => revision && <code>{revision}</code> },
  { label: 'Applied', cell: ({ applied_at }) => <Time at={applied_at} /> },
  { label: 'Applied by', cell: ({ applied_by_email }) => applied_by_email },
]
