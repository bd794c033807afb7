import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { Button, Dialog, FilterField, SelectField } from '../../../components/index.ts'
import { Assignment } from '../fleet/assignment.tsx'
import { FoundDevices } from '../fleet/device-lists.tsx'
import { FILTER_DEFAULTS } from '../fleet/filters.ts'
import { useNames } from '../names.ts'

export function AddDevices({ group }: { group: Group }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Add devices
      </Button>
      {isOpen && <AddDialog group={group} onClose={() => setOpen(false)} />}
    </>
  )
}

function AddDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { groupOptions } = useNames()
  const [q, setQ] = useState('')
  const [group_id, setGroupId] = useState('none')
  const [selected, setSelected] = useState<readonly string[]>([])
  return (
    <Dialog title={`Add devices to ${group.name}`} place="side" onClose={onClose}>
      <div class="toolbar">
        <FilterField
          label="Name, serial number, model or user"
          type="search"
          maxLength={200}
          value={q}
          onChange={setQ}
        />
        <SelectField
          label="Current group"
          value={group_id}
          options={[
            { value: 'none', label: 'No group' },
            { value: '', label: 'All devices' },
            ...groupOptions.filter(({ value }) => value !== group.id),
          ]}
          onChange={setGroupId}
        />
      </div>
      {selected.length > 0 && (
        <Assignment
          selected={selected}
          group_id={group.id}
          onClose={(isAssigned) => (isAssigned ? onClose() : setSelected([]))}
        />
      )}
      <FoundDevices
        filters={{ ...FILTER_DEFAULTS, q, group_id }}
        selection={{ selected, onSelect: setSelected }}
      />
    </Dialog>
  )
}
