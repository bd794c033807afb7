/** The managed devices during the story, by their serial numbers and by what happens to them. */
import type { Fate, PhonePolicy, StoryPhone } from '../story/phones.ts'
import type { Api } from './api.ts'

export type Fleet = {
  api: Api
  policies: Map<PhonePolicy, { id: string; policy_json: Record<string, unknown> }>
  groups: Map<string, string>
  phones: Map<string, { story: StoryPhone; device_id: string; phone_id: string }>
}

export const withFate = ({ phones }: Fleet, fate: Fate) =>
  [...phones.values()].filter(({ story }) => story.fate === fate)

export async function deleteDevices(fleet: Fleet, fate: Fate): Promise<void> {
  for (const { device_id } of withFate(fleet, fate)) {
    await fleet.api('DELETE', `/v1/mdm/devices/${device_id}`)
  }
}
