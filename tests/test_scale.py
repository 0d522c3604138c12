"""The manifest of docs/scale.md is one that KubeRay accepts."""

from typing import Any

import yaml

from tests.project import ROOT


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
        assert 0 <= group.get("minReplicas", 0) <= group.get("maxReplicas", 0)
    assert len(images) == 1  # the same program everywhere
    assert groups[0]["rayStartParams"]["include-dashboard"] == "false"
    (volume,) = groups[0]["template"]["spec"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    labels = {"matchLabels": {"ray.io/cluster": cluster["metadata"]["name"]}}
    assert policy["spec"]["podSelector"] == labels
    assert policy["spec"]["ingress"] == [{"from": [{"podSelector": labels}]}]
