"""The basis of docs/scale.md: a manifest that KubeRay accepts, and a correct simulation."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from benchmarks.queueing import Costs, bounds, seconds_an_update, table
from tests.project import ROOT

CORE = Costs(episode=1.0)


@pytest.mark.parametrize(
    ("costs", "cores", "episodes", "lag", "expected"),
    [
        (CORE, 1, 10, 0, 10.0),
        (CORE, 10, 10, 0, 1.0),
        (CORE, 4, 10, 0, 3.0),  # in the last round two cores are idle
        (Costs(episode=1.0, together=8), 1, 4, 0, 8.0),  # a batch is as slow when it is half empty
        (Costs(episode=1.0, together=8), 4, 32, 0, 8.0),
        (Costs(episode=1.0, learned=0.5), 10, 10, 0, 6.0),
        (Costs(episode=1.0, learned=0.5), 10, 10, 1, 5.0),  # play is hidden behind learning
        (Costs(episode=1.0, update=4.0), 1, 10, 0, 14.0),
        (Costs(episode=1.0, update=4.0), 1, 10, 1, 10.0),  # learning is hidden behind play
        (Costs(episode=0.0, task=1.0), 100, 7, 0, 7.0),
        (Costs(episode=0.0, taken=2.0), 100, 7, 0, 14.0),
        (Costs(episode=0.0, episode_bytes=3.0, bandwidth=1.0), 100, 7, 0, 21.0),
        (Costs(episode=0.0, net_bytes=5.0, bandwidth=1.0), 128, 128, 0, 10.0),  # to two nodes
        (Costs(episode=1.0, prepared=0.5), 5, 5, 0, 1.5),
    ],
)
def test_the_simulation_is_right_where_the_result_is_known(
    costs: Costs, cores: int, episodes: int, lag: int, expected: float
) -> None:
    seconds = seconds_an_update(costs, cores, episodes, lag, updates=40)
    assert seconds == pytest.approx(expected)
    assert seconds >= max(bounds(costs, cores, episodes).values()) - 1e-9


def test_random_durations_lengthen_a_wait_for_all() -> None:
    steady, unsteady = (Costs(episode=1.0, spread=spread) for spread in (0.0, 0.3))
    assert seconds_an_update(unsteady, 50, 50) > 1.2 * seconds_an_update(steady, 50, 50)


def test_the_page_has_the_table_that_the_simulation_prints() -> None:
    page = (ROOT / "docs" / "scale.md").read_text()
    assert "\n".join(table()) in page


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((ROOT / "docs" / "kuberay.yaml").read_text()))


def test_the_manifest_has_what_kuberay_needs() -> None:
    cluster, claim, policy = documents()
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    spec = cluster["spec"]
    assert f"ray=={spec['rayVersion']}" in (ROOT / "constraints.txt").read_text().splitlines()
    groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    images = set()
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        pod = group["template"]["spec"]
        ray = pod["containers"][0]  # KubeRay takes the first
        images.add(ray["image"])
        assert ray["resources"]["limits"] == ray["resources"]["requests"]  # what Ray counts with
        assert {"name": "RAY_USAGE_STATS_ENABLED", "value": "0"} in ray["env"]
        assert all(isinstance(each["value"], str) for each in ray["env"])
        mounts = {mount["name"] for mount in ray.get("volumeMounts", ())}
        assert mounts == {volume["name"] for volume in pod.get("volumes", ())}
        ports = {ray[f"{kind}Probe"]["tcpSocket"]["port"] for kind in ("readiness", "liveness")}
        assert ports == {int(group["rayStartParams"].get("node-manager-port", 6379))}
    assert len(images) == 1  # the same program everywhere
    assert groups[0]["rayStartParams"]["include-dashboard"] == "false"
    names = [group["groupName"] for group in groups[1:]]
    assert len(set(names)) == len(names) > 0
    for group in groups[1:]:
        assert 0 <= group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    (volume,) = groups[0]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    labels = {"matchLabels": {"ray.io/cluster": cluster["metadata"]["name"]}}
    assert policy["spec"]["podSelector"] == labels
    assert policy["spec"]["ingress"] == [{"from": [{"podSelector": labels}]}]
