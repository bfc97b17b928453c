import { useEffect, useState } from 'react';
import type { SimulatedFailure, SimulatedPlatform, SimulatedScene } from '../../../routers/schemas/simulation.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { showToast } from '../../components/overlays/toast-store.ts';

/** The choice to play; `failure` null: nothing goes wrong. */
export type SimulationChoice = { platform: SimulatedPlatform; withDomain: boolean; failure: SimulatedFailure | null };
export type SimulatedFiles = { count: number; totalBytes: number };

/** Returns the choices of a simulation, and the scenes of the last one. */
export function useSimulation(files: SimulatedFiles | null) {
  const [choice, setChoice] = useState<SimulationChoice>({ platform: 'built-in', withDomain: true, failure: null });
  const { platform, withDomain } = choice;
  const failures = trpc.simulation.failures.useQuery({ platform, withDomain }, { meta: { refresh: false } });
  const run = trpc.simulation.run.useMutation({
    onError: (error) => showToast(errorToast('The simulation could not be run', error)),
  });
  const play = (failure: SimulatedFailure | null) => {
    setChoice({ ...choice, failure });
    run.mutate({ platform, withDomain, ...(failure && { failure: failure.id }), ...(files && { files }) });
  };
  return { choice, setChoice, failures, run, play };
}

export type Simulation = ReturnType<typeof useSimulation>;

/**
 * Returns the present scene; each is shown at its own time, a held one until the person continues, and the last one
 * stays.
 */
export function useScene(scenes: readonly SimulatedScene[]) {
  const [index, setIndex] = useState(0);
  const last = scenes.length - 1;
  const scene = scenes[index];
  const isHeld = scene?.isHeld === true;
  const waitMs = (scenes[index + 1]?.atMs ?? 0) - (scene?.atMs ?? 0);
  useEffect(() => {
    if (index >= last || isHeld) return;
    const timer = setTimeout(() => setIndex(index + 1), waitMs);
    return () => clearTimeout(timer);
  }, [index, last, isHeld, waitMs]);
  const goOn = () => setIndex(Math.min(index + 1, last));
  /** Skips to the end, or to the next work for the person. */
  const skip = () => {
    const held = scenes.findIndex((one, at) => at > index && one.isHeld);
    setIndex(held < 0 ? last : held);
  };
  return { scene, isOver: index >= last, isHeld, goOn, skip };
}
