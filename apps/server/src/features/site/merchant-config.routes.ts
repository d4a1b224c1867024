import { readManagedConfig } from '@hufu/contract/manage-site'
import * as contract from '@hufu/contract/merchant-config'
import { z } from 'zod'
import type { App } from '../../http/app.ts'
import { Prepared, serve } from '../../http/serve.ts'
import type { Deps } from '../../shared/deps.ts'
import { configSchema } from './config-schema.ts'
import { check, listHistory, openVersion, preview, restore, save } from './merchant-config.service.ts'

export function merchantConfigRoutes(app: App, deps: Deps): void {
  const schema = new Prepared(z.toJSONSchema(configSchema, { io: 'input' }))

  serve(app, deps, contract.readConfig, async (_input, { site }) => (await openVersion(deps, site)).config)
  serve(app, deps, readManagedConfig, async (_input, { site }) => await openVersion(deps, site))
  serve(app, deps, contract.openConfig, ({ version }, { site }) => openVersion(deps, site, version))
  serve(app, deps, contract.configHistory, (part, { site }) => listHistory(deps, site, part))
  serve(app, deps, contract.checkConfig, ({ config }, { site }) => check(deps, site, config))
  serve(app, deps, contract.previewConfig, ({ config }, { site }) => preview(deps, site, config))
  serve(app, deps, contract.configSchema, () => schema)
  serve(app, deps, contract.updateConfig, (input, { site, caller }) => save(deps, site, caller, input))
  serve(app, deps, contract.restoreConfig, (input, { site, caller }) => restore(deps, site, caller, input))
}
