/** Devices are looked for and put into a group. */
import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { Button, Dialog, FilterField, SelectField } from '../../../components/index.ts'
import { Assignment } from '../fleet/assignment.tsx'
import { NO_FILTERS } from '../fleet/filters.ts'
import { FoundDevices } from '../fleet/lists.tsx'
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
  const names = useNames()
  const [q, setQ] = useState('')
  const [from, setFrom] = useState('none')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const others = names.groups.filter(({ id }) => id !== group.id)
  return (
    <Dialog title={`Add devices to ${group.name}`} place="side" onClose={onClose}>
      <div class="toolbar">
        <FilterField
          label="Search"
          type="search"
          placeholder="Name, serial, model, user"
          style={{ width: '17rem' }}
          maxLength={200}
          value={q}
          onChange={setQ}
        />
        <SelectField
          label="From"
          value={from}
          options={[
            { value: 'none', label: 'In no group' },
            { value: '', label: 'All devices' },
            ...others.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setFrom}
        />
      </div>
      {chosen.length > 0 && (
        <Assignment
          chosen={chosen}
          group_id={group.id}
          onDone={(isAssigned) => (isAssigned ? onClose() : setChosen([]))}
        />
      )}
      <FoundDevices
        filters={{ ...NO_FILTERS, q, group_id: from }}
        choice={{ chosen, onChoose: setChosen }}
      />
    </Dialog>
  )
}
