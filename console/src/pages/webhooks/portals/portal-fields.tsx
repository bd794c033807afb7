import { useState } from 'preact/hooks'
import type { EventFilter } from '../../../../../src/modules/webhooks/extras/schema.ts'
import { Button, TextArea, TextField } from '../../../components/index.ts'
import type { EventType } from '../api.ts'
import { EventFields } from '../event-fields.tsx'
import { EMPTY_ROW, FilterFields, filterOf, type Row, rowsOf } from '../filter-fields.tsx'
import type { Portal } from './api.ts'

type Limits = Pick<Portal, 'name' | 'filter' | 'endpoints_max' | 'allowed_origins'> & {
  events: readonly string[]
}
const ENDPOINTS_DEFAULT = 5
const NEW: Limits = {
  name: '',
  events: [],
  filter: null,
  endpoints_max: ENDPOINTS_DEFAULT,
  allowed_origins: [],
}

/** State of a form about a portal, with the body that it sends. */
export function usePortalDraft(initial: Limits = NEW) {
  const [name, setName] = useState(initial.name)
  const [events, setEvents] = useState(initial.events as EventType[])
  const [match, setMatch] = useState<EventFilter['match']>(initial.filter?.match ?? 'all')
  const [rows, setRows] = useState<Row[]>(rowsOf(initial.filter))
  const [endpoints, setEndpoints] = useState(String(initial.endpoints_max))
  const [origins, setOrigins] = useState(initial.allowed_origins.join('\n'))
  return {
    isComplete: events.length > 0,
    body: () => ({
      name: name.trim(),
      events,
      filter: filterOf(match, rows),
      endpoints_max: Number(endpoints),
      allowed_origins: origins.split(/\s+/).filter((origin) => origin !== ''),
    }),
    name: { value: name, onChange: setName },
    events: { selected: events, onChange: setEvents },
    filter: { match, onMatch: setMatch, rows, onChange: setRows },
    endpoints: { value: endpoints, onChange: setEndpoints },
    origins: { value: origins, onChange: setOrigins },
  }
}

type Props = { draft: ReturnType<typeof usePortalDraft> }

export const PortalFields = ({ draft }: Props) => (
  <>
    <TextField
      label="Name"
      {...draft.name}
      hint="The customer or department. They see it, too."
      required
    />
    <EventFields {...draft.events} />
    <p class="field-hint">
      Every endpoint of the portal receives only what passes these conditions. Without any, it
      receives all events of these types, also those about others.
    </p>
    <FilterFields {...draft.filter} />
    <div>
      <Button size="small" onClick={() => draft.filter.onChange([...draft.filter.rows, EMPTY_ROW])}>
        Add condition
      </Button>
    </div>
    <TextField
      label="Maximum number of endpoints"
      name="endpoints_max"
      type="number"
      min={1}
      max={20}
      {...draft.endpoints}
      required
    />
    <TextArea
      label="Allowed origins"
      name="allowed_origins"
      rows={3}
      {...draft.origins}
      hint="Pages that may embed the portal, one a line, such as https://shop.example.com."
    />
  </>
)
