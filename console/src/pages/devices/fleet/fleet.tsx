/** The devices of the organisation: filtered, searched, chosen to be put into a group. */
import { useState } from 'preact/hooks'
import { FilterField, Section, SelectField, Toolbar } from '../../../components/index.ts'
import { type SetFilters, useFilters } from '../../../shell/filters.ts'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { useNames } from '../names.ts'
import { COMPLIANCE_STATES, DEVICE_STATES, MODES, words } from '../words.ts'
import { Assignment } from './assignment.tsx'
import { type DeviceFilters, isSearch, NO_FILTERS } from './filters.ts'
import { FoundDevices, PagedDevices } from './lists.tsx'

export default function FleetPage() {
  const { is_admin } = useOrg()
  const [filters, setFilters] = useFilters(NO_FILTERS)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const choice = is_admin ? { chosen, onChoose: setChosen } : undefined
  return (
    <DevicesPage title="Devices">
      <FleetToolbar filters={filters} setFilters={setFilters} />
      {chosen.length > 0 && <Assignment chosen={chosen} onDone={() => setChosen([])} />}
      <Section title="Devices" hideTitle>
        {isSearch(filters) ? (
          <FoundDevices filters={filters} choice={choice} />
        ) : (
          <PagedDevices
            filters={filters}
            choice={choice}
            onPage={(page) => setFilters({ page: String(page) })}
          />
        )}
      </Section>
    </DevicesPage>
  )
}

type ToolbarProps = { filters: DeviceFilters; setFilters: SetFilters<keyof DeviceFilters> }

function FleetToolbar({ filters, setFilters }: ToolbarProps) {
  const names = useNames()
  const set = (changed: Partial<DeviceFilters>) => setFilters({ ...changed, page: '1' })
  return (
    <Toolbar label="Filters of devices">
      <FilterField
        label="Search"
        type="search"
        placeholder="Name, serial, model, user"
        style={{ width: '17rem' }}
        maxLength={200}
        value={filters.q}
        onChange={(q) => set({ q })}
      />
      <SelectField
        label="State"
        value={filters.state}
        options={anyOf(Object.keys(DEVICE_STATES), 'All but deleted')}
        onChange={(state) => set({ state })}
      />
      <SelectField
        label="Compliance"
        value={filters.compliance}
        options={anyOf(Object.keys(COMPLIANCE_STATES), 'Any')}
        onChange={(compliance) => set({ compliance })}
      />
      <SelectField
        label="Mode"
        value={filters.mode}
        options={[{ value: '', label: 'Any' }, ...MODES]}
        onChange={(mode) => set({ mode })}
      />
      <SelectField
        label="Policy"
        value={filters.policy_id}
        options={[{ value: '', label: 'Any' }, ...named(names.policies)]}
        onChange={(policy_id) => set({ policy_id })}
      />
      <SelectField
        label="Group"
        value={filters.group_id}
        options={[
          { value: '', label: 'Any' },
          { value: 'none', label: 'In no group' },
          ...named(names.groups),
        ]}
        onChange={(group_id) => set({ group_id })}
      />
    </Toolbar>
  )
}

const anyOf = (terms: readonly string[], any: string) => [
  { value: '', label: any },
  ...terms.map((value) => ({ value, label: words(value) })),
]

const named = (list: readonly { id: string; name: string }[]) =>
  list.map(({ id, name }) => ({ value: id, label: name }))
