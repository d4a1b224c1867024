import type { EventType } from '@hufu/contract/event-rules'
import { listManagedEvents } from '@hufu/contract/manage-events'
import type { App } from '../../http/app.ts'
import { serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { listEvents } from './events.service.ts'

export function eventRoutes(app: App, deps: Deps): void {
  serve(app, deps, listManagedEvents, async ({ types, ...wanted }, { site }) => {
    const { events, ...rest } = await listEvents(deps, site, {
      ...wanted,
      types: types?.split(',') as EventType[] | undefined,
    })
    return { data: events, ...rest }
  })
}
