import { listSimulatedFailures, runSimulation } from '../server/simulation/index.ts';
import {
  listSimulatedFailuresInput,
  runSimulationInput,
  simulatedFailuresSchema,
  simulationSchema,
} from './schemas/simulation.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const simulationRouter = router({
  failures: protectedProcedure
    .input(listSimulatedFailuresInput)
    .output(simulatedFailuresSchema)
    .query(({ ctx, input }) => listSimulatedFailures(ctx, input)),

  run: writeProcedure
    .input(runSimulationInput)
    .output(simulationSchema)
    .mutation(({ ctx, input }) => runSimulation(ctx, input)),
});
