import { useState } from 'preact/hooks'
import { FilterBar, Page, Section } from '../../../components/index.ts'
import { usePagedFilters } from '../../../shell/filters.ts'
import { useOrg } from '../../../shell/organization.ts'
import { useNames } from '../names.ts'
import { DeviceTabs } from '../tabs.tsx'
import { COMPLIANCE_STATES, DEVICE_STATES, MODES, termText } from '../terms.ts'
import { Assignment } from './assignment.tsx'
import { FoundDevices, PagedDevices } from './device-lists.tsx'
import { FILTER_DEFAULTS, isSearch } from './filters.ts'

export default function FleetPage() {
  const { is_admin } = useOrg()
  const names = useNames()
  const policies = names.policies.map(({ id, name }) => ({ value: id, label: name }))
  const { view, page, setPage } = usePagedFilters(FILTER_DEFAULTS)
  const [filters] = view
  const [selected, setSelected] = useState<readonly string[]>([])
  const props = { filters, selection: is_admin ? { selected, onSelect: setSelected } : undefined }
  return (
    <Page title="Devices">
      <DeviceTabs />
      <FilterBar
        label="Filter devices"
        view={view}
        filters={[
          {
            name: 'q',
            label: 'Name, serial number, model or user',
            type: 'search',
            maxLength: 200,
          },
          {
            name: 'state',
            label: 'State',
            options: optionsOf(Object.keys(DEVICE_STATES), 'Not deleted'),
          },
          {
            name: 'compliance',
            label: 'Compliance',
            options: optionsOf(Object.keys(COMPLIANCE_STATES), 'Any'),
          },
          { name: 'mode', label: 'Mode', options: [ANY, ...MODES] },
          { name: 'policy_id', label: 'Policy', options: [ANY, ...policies], isLoaded: true },
          {
            name: 'group_id',
            label: 'Group',
            options: [ANY, { value: 'none', label: 'No group' }, ...names.groupOptions],
            isLoaded: true,
          },
        ]}
      />
      {selected.length > 0 && <Assignment selected={selected} onClose={() => setSelected([])} />}
      <Section title="Devices" hideTitle>
        {isSearch(filters) ? (
          <FoundDevices {...props} />
        ) : (
          <PagedDevices {...props} page={page} onPage={setPage} />
        )}
      </Section>
    </Page>
  )
}

const ANY = { value: '', label: 'Any' }

const optionsOf = (terms: readonly string[], any: string) => [
  { value: '', label: any },
  ...terms.map((value) => ({ value, label: termText(value) })),
]
