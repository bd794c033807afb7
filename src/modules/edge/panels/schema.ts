/** Contract of the panels of a dashboard: tables and charts of the log explorer under a name. */
import { type Static, Type } from 'typebox'
import { filters } from '../searches/schema.ts'

/** Each panel of a dashboard runs a query when the page opens. */
export const PANELS_MAX = 20
const NAME_MAX_CHARS = 200

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })

export const newPanel = Type.Object({ name, view: filters })
export const panelChange = Type.Object({
  name: Type.Optional(name),
  view: Type.Optional(filters),
})
/** All panels, in the new order. */
export const panelOrder = Type.Object({
  ids: Type.Array(Type.String({ format: 'uuid' }), { maxItems: PANELS_MAX, uniqueItems: true }),
})

export type NewPanel = Static<typeof newPanel>
export type PanelChange = Static<typeof panelChange>

export type Panel = {
  id: string
  name: string
  /** Query parameters of the log explorer. */
  view: Record<string, string>
  created_by: { user_id: string; email: string | null }
  created_at: string
}
