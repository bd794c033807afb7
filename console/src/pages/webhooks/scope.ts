/** The portal that a page of webhooks is shown in. In the console, there is none. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { OpenPortal } from '../../../../src/modules/portals/schema.ts'
import type { Answer } from '../../api/client.ts'
import { type Mode, useMode } from '../../shell/organization.ts'
import type { EventType } from './api.ts'
import { EVENT_TYPES } from './event-fields.tsx'

export const PortalContext = createContext<Answer<OpenPortal> | undefined>(undefined)

export const usePortal = (): Answer<OpenPortal> | undefined => useContext(PortalContext)

/** A portal is for one mode. */
export function useWebhookMode(): Mode {
  const mode = useMode()
  return usePortal()?.mode ?? mode
}

/** The types that endpoints can subscribe to. */
export function useEventTypes(): readonly EventType[] {
  const portal = usePortal()
  return portal ? EVENT_TYPES.filter((type) => portal.events.includes(type)) : EVENT_TYPES
}
